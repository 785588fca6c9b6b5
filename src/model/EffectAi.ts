import { Duration, Effect, type JsonSchema, Layer, Option, Result, Schema, Stream } from "effect"
import { AiError, LanguageModel, Prompt, type Response, Tool, type Toolkit } from "effect/ai"
import { ChatModel, type ModelEvent, type ModelRequest, type Usage } from "./ChatModel.ts"
import * as EffectAiError from "./EffectAiError.ts"
import * as InlineImages from "./InlineImages.ts"
import { ModelError } from "./ModelError.ts"
import * as ModelUsage from "./ModelUsage.ts"
import * as PartPrompt from "./PartPrompt.ts"
import * as PartReader from "./PartReader.ts"
import * as ProviderError from "./ProviderError.ts"

/** How a model of `effect/ai` is asked. */
export interface EffectAiOptions {
  /** How long an answer may pause, its first part included; a minute by default. */
  readonly idleTimeout?: Duration.Input
  /** Whether images that stand at an address are fetched here, and how; they are the provider's to fetch by default. */
  readonly images?: InlineImages.InlineImagesOptions
}

/** Whose provider data this is. */
const provider = "effect-ai"
const toParts = PartPrompt.maker(provider)

const saidPart = (part: PartPrompt.PartOf<"text" | "image">): Prompt.UserMessagePart =>
  part.type === "text"
    ? Prompt.makePart("text", { text: part.text })
    : Prompt.makePart("file", { mediaType: part.mediaType, data: part.base64 ?? new URL(part.url) })

const spokenPart = (part: PartPrompt.PartOf<"text" | "reasoning" | "call">): Prompt.AssistantMessagePart => {
  if (part.type === "text") return Prompt.makePart("text", { text: part.text })
  const options = (part.options ?? {}) as Prompt.ProviderOptions
  if (part.type === "reasoning") return Prompt.makePart("reasoning", { text: part.text, options })
  const { id, input: params, name } = part
  return Prompt.makePart("tool-call", { id, name, params, providerExecuted: false, options })
}

const resultPart = ({ id, name, text }: PartPrompt.PartOf<"result">): Prompt.ToolMessagePart =>
  Prompt.makePart("tool-result", { id, name, result: text, isFailure: false, providerExecuted: false })

const toMessage = (message: PartPrompt.Message): Prompt.Message => {
  switch (message.role) {
    case "user":
      return Prompt.makeMessage("user", { content: message.parts.map(saidPart) })
    case "assistant":
      return Prompt.makeMessage("assistant", { content: message.parts.map(spokenPart) })
    case "tool":
      return Prompt.makeMessage("tool", { content: message.parts.map(resultPart) })
  }
}

/** A tool that is known by its JSON Schema alone. */
type DeclaredTool = Tool.Dynamic<
  string,
  {
    readonly parameters: JsonSchema.JsonSchema
    readonly success: typeof Schema.Unknown
    readonly failure: typeof Schema.Never
    readonly failureMode: "error"
  }
>

/** The tools, as `effect/ai` describes them. They are not run there. */
const toToolkit = (tools: ModelRequest["tools"]): Toolkit.WithHandler<Record<string, DeclaredTool>> => ({
  tools: Object.fromEntries(
    tools.map(({ description, name, parameters }) => [name, Tool.dynamic(name, { description, parameters })])
  ),
  handle: () => Effect.die("a turn runs its tools itself")
})

const toPrompt = ({ messages, system }: PartPrompt.PartPrompt): Prompt.Prompt =>
  Prompt.fromMessages([
    ...(system === "" ? [] : [Prompt.makeMessage("system", { content: system })]),
    ...messages.map(toMessage)
  ])

const decodeOptions = Schema.decodeUnknownOption(PartPrompt.Options)

const toOptions = (metadata: Response.ProviderMetadata): { readonly options?: PartPrompt.Options } =>
  Object.keys(metadata).length === 0
    ? {}
    : Option.match(decodeOptions(metadata), { onNone: () => ({}), onSome: (options) => ({ options }) })

const toUsage = ({ inputTokens, outputTokens }: Response.Usage): Usage =>
  ModelUsage.make({
    input: inputTokens.total,
    output: outputTokens.total,
    cached: inputTokens.cacheRead,
    reasoning: outputTokens.reasoning
  })

type StreamPart = Response.StreamPart<Record<string, DeclaredTool>>

const toFinish = ({
  reason,
  usage
}: Pick<Response.FinishPart, "reason" | "usage">): Result.Result<PartReader.AnswerPart, ModelError> =>
  reason === "error" || reason === "unknown"
    ? Result.fail(PartReader.unfinished)
    : Result.succeed({
        type: "finish",
        reason: reason === "length" ? "length" : reason === "content-filter" ? "refusal" : "stop",
        usage: toUsage(usage)
      })

/** What a part says; none for what a turn has no use for, such as calls that the provider runs itself. */
const toAnswer = (part: StreamPart): Result.Result<PartReader.AnswerPart | undefined, ModelError> => {
  switch (part.type) {
    case "text-delta":
      return Result.succeed({ type: "text", delta: part.delta })
    case "reasoning-start":
    case "reasoning-end":
      return Result.succeed({ type: part.type, id: part.id, ...toOptions(part.metadata) })
    case "reasoning-delta":
      return Result.succeed({ type: part.type, id: part.id, delta: part.delta, ...toOptions(part.metadata) })
    case "tool-call": {
      if (part.providerExecuted) return Result.succeed(undefined)
      const { id, name, params } = part
      const input = typeof params === "string" ? params : JSON.stringify(params ?? {})
      return Result.succeed({ type: "call", id, name, input, ...toOptions(part.metadata) })
    }
    case "finish":
      return toFinish(part)
    case "error":
      return Result.fail(
        AiError.isAiError(part.error) ? EffectAiError.make(part.error) : ProviderError.inStream(part.error)
      )
    default:
      return Result.succeed(undefined)
  }
}

const badResponse = (cause: Schema.SchemaError): ModelError =>
  new ModelError({ reason: "bad_response", message: cause.message, retryable: true, cause })

const ask = (model: LanguageModel.LanguageModel, request: ModelRequest): Stream.Stream<ModelEvent, ModelError> => {
  const prompt = toParts(request.model, request)
  const parts = model
    .streamText({
      prompt: toPrompt(prompt),
      toolkit: toToolkit(prompt.tools),
      disableToolCallResolution: true,
      toolCallValidation: "deferred"
    })
    .pipe(Stream.mapError((error) => (AiError.isAiError(error) ? EffectAiError.make(error) : badResponse(error))))
  return PartReader.read(parts, PartReader.make(request.model, prompt.names), toAnswer)
}

/**
 * A language model of `effect/ai`, from any of its provider packages. It is one model: the name that a session asks for
 * changes nothing, but that reasoning goes back under the same name alone. Tools are declared to it, never run by it.
 */
export const layer = <E, R>(
  model: Layer.Layer<LanguageModel.LanguageModel, E, R>,
  options: EffectAiOptions = {}
): Layer.Layer<ChatModel, E, R> => {
  const idle = Duration.fromInputUnsafe(options.idleTimeout ?? "1 minute")
  const chat = Layer.effect(
    ChatModel,
    Effect.map(LanguageModel.LanguageModel, (model) => ({
      provider,
      stream: (request) =>
        Stream.suspend(() => ask(model, request)).pipe(
          Stream.timeoutOrElse({ duration: idle, orElse: () => Stream.fail(PartReader.silent(idle)) })
        )
    }))
  ).pipe(Layer.provide(model))
  return options.images === undefined ? chat : InlineImages.layer(chat, options.images)
}
