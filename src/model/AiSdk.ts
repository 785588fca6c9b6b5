import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FilePart,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderMetadata,
  SharedV4ProviderOptions
} from "@ai-sdk/provider"
import { Clock, Duration, Effect, Layer, Option, Result, Schema, Stream } from "effect"
import * as AiSdkError from "./AiSdkError.ts"
import { ChatModel, type ModelRequest, type Usage } from "./ChatModel.ts"
import * as InlineImages from "./InlineImages.ts"
import type { ModelError } from "./ModelError.ts"
import * as ModelUsage from "./ModelUsage.ts"
import * as PartPrompt from "./PartPrompt.ts"
import * as PartReader from "./PartReader.ts"

/** How a model of the AI SDK is asked. */
export interface AiSdkOptions {
  /** How long an answer may pause, its first part included; a minute by default. */
  readonly idleTimeout?: Duration.Input
  /** What the provider is told with each request, by its name, such as `{ openai: { reasoningEffort: "low" } }`. */
  readonly providerOptions?: SharedV4ProviderOptions
  /** How images that the provider does not fetch are fetched. */
  readonly images?: InlineImages.InlineImagesOptions
}

/** Whose provider data this is; which model's, stands in the data. */
const provider = "ai-sdk"
const toPrompt = PartPrompt.maker(provider)

const withOptions = (
  options: PartPrompt.Options | undefined
): { readonly providerOptions?: SharedV4ProviderOptions } =>
  options === undefined ? {} : { providerOptions: options as SharedV4ProviderOptions }

const saidPart = (part: PartPrompt.PartOf<"text" | "image">): LanguageModelV4TextPart | LanguageModelV4FilePart => {
  if (part.type === "text") return part
  const { base64, mediaType, url } = part
  const data =
    base64 === undefined ? { type: "url" as const, url: new URL(url) } : { type: "data" as const, data: base64 }
  return { type: "file", mediaType, data }
}

const spokenPart = (part: PartPrompt.PartOf<"text" | "reasoning" | "call">) => {
  if (part.type === "text") return { type: "text", text: part.text } as const
  if (part.type === "reasoning") return { type: "reasoning", text: part.text, ...withOptions(part.options) } as const
  const { id: toolCallId, input, name: toolName, options } = part
  return { type: "tool-call", toolCallId, toolName, input, ...withOptions(options) } as const
}

const resultPart = ({ id, name, text }: PartPrompt.PartOf<"result">): LanguageModelV4ToolResultPart => ({
  type: "tool-result",
  toolCallId: id,
  toolName: name,
  output: { type: "text", value: text }
})

const toMessage = (message: PartPrompt.Message): LanguageModelV4Message => {
  switch (message.role) {
    case "user":
      return { role: "user", content: message.parts.map(saidPart) }
    case "assistant":
      return { role: "assistant", content: message.parts.map(spokenPart) }
    case "tool":
      return { role: "tool", content: message.parts.map(resultPart) }
  }
}

const toTool = ({ description, name, parameters }: ModelRequest["tools"][number]): LanguageModelV4FunctionTool => ({
  type: "function",
  name,
  description,
  inputSchema: parameters as LanguageModelV4FunctionTool["inputSchema"]
})

const toCall = (
  prompt: PartPrompt.PartPrompt,
  request: ModelRequest,
  providerOptions: SharedV4ProviderOptions | undefined
): LanguageModelV4CallOptions => ({
  prompt: [
    ...(prompt.system === "" ? [] : [{ role: "system", content: prompt.system } as const]),
    ...prompt.messages.map(toMessage)
  ],
  ...(prompt.tools.length === 0 ? {} : { tools: prompt.tools.map(toTool) }),
  ...(request.maxTokens === undefined ? {} : { maxOutputTokens: request.maxTokens }),
  ...(providerOptions === undefined ? {} : { providerOptions })
})

const decodeOptions = Schema.decodeUnknownOption(Schema.fromJsonString(PartPrompt.Options))

/** As JSON; none for what cannot be, or is not there. */
const toJson = Option.liftThrowable((metadata: SharedV4ProviderMetadata | undefined) => JSON.stringify(metadata))

const toOptions = (metadata: SharedV4ProviderMetadata | undefined): { readonly options?: PartPrompt.Options } =>
  Option.match(Option.flatMap(toJson(metadata), decodeOptions), {
    onNone: () => ({}),
    onSome: (options) => ({ options })
  })

const toUsage = (usage: Extract<LanguageModelV4StreamPart, { type: "finish" }>["usage"]): Usage =>
  ModelUsage.make({
    input: usage?.inputTokens?.total,
    output: usage?.outputTokens?.total,
    cached: usage?.inputTokens?.cacheRead,
    reasoning: usage?.outputTokens?.reasoning
  })

const toFinish = ({
  finishReason: { raw, unified },
  usage
}: Extract<LanguageModelV4StreamPart, { type: "finish" }>): Result.Result<PartReader.AnswerPart, ModelError> => {
  const isCut = unified === "error" || unified === "interrupted" || (unified === "other" && raw === undefined)
  if (isCut) return Result.fail(PartReader.unfinished)
  const reason = unified === "length" ? "length" : unified === "content-filter" ? "refusal" : "stop"
  return Result.succeed({ type: "finish", reason, usage: toUsage(usage) })
}

/** What a part of the SDK's says; none for what a turn has no use for, such as calls that the provider runs itself. */
const toAnswer =
  (toError: (error: unknown) => ModelError) =>
  (part: LanguageModelV4StreamPart): Result.Result<PartReader.AnswerPart | undefined, ModelError> => {
    switch (part.type) {
      case "text-delta":
        return Result.succeed({ type: "text", delta: part.delta })
      case "reasoning-start":
      case "reasoning-end":
        return Result.succeed({ type: part.type, id: part.id, ...toOptions(part.providerMetadata) })
      case "reasoning-delta":
        return Result.succeed({ type: part.type, id: part.id, delta: part.delta, ...toOptions(part.providerMetadata) })
      case "tool-call": {
        if (part.providerExecuted === true) return Result.succeed(undefined)
        const { input, toolCallId: id, toolName: name } = part
        return Result.succeed({ type: "call", id, name, input, ...toOptions(part.providerMetadata) })
      }
      case "finish":
        return toFinish(part)
      case "error":
        return Result.fail(toError(part.error))
      default:
        return Result.succeed(undefined)
    }
  }

const abortController = Effect.acquireRelease(
  Effect.sync(() => new AbortController()),
  (controller) => Effect.sync(() => controller.abort())
)

const supportsUrl = (supported: Record<string, ReadonlyArray<RegExp>>) => (url: string) =>
  Object.entries(supported).some(
    ([type, patterns]) => /^(?:\*|image)\//.test(type) && patterns.some((pattern) => pattern.test(url))
  )

const ask = Effect.fnUntraced(function* (
  modelOf: (name: string) => LanguageModelV4,
  request: ModelRequest,
  inline: InlineImages.Inline,
  options: AiSdkOptions
) {
  const toError = AiSdkError.make(yield* Clock.currentTimeMillis)
  const model = yield* Effect.try({ try: () => modelOf(request.model), catch: toError })
  const idle = Duration.fromInputUnsafe(options.idleTimeout ?? "1 minute")
  const name = `${model.provider}/${model.modelId}`
  const { signal } = yield* abortController
  const attempt = <A>(run: () => PromiseLike<A>) =>
    Effect.tryPromise({ try: () => Promise.resolve(run()), catch: toError })
  const supported = yield* attempt(async () => await model.supportedUrls)
  const history = yield* inline(request.history, supportsUrl(supported ?? {}))
  const prompt = toPrompt(name, { ...request, history })
  const call = toCall(prompt, request, options.providerOptions)
  const parts = Stream.unwrap(
    Effect.map(
      attempt(() => model.doStream({ ...call, abortSignal: signal })),
      ({ stream }) => Stream.fromReadableStream({ evaluate: () => stream, onError: toError })
    )
  )
  return PartReader.read(parts, PartReader.make(name, prompt.names), toAnswer(toError)).pipe(
    Stream.timeoutOrElse({ duration: idle, orElse: () => Stream.fail(PartReader.silent(idle)) })
  )
})

/**
 * A language model of the Vercel AI SDK's provider packages (specification v4), or a function that gives the model of a
 * name, so that sessions can choose:
 *
 *     AiSdk.layer((name) => createMistral({ apiKey })(name))
 *
 * The types are those of `@ai-sdk/provider`, an optional peer dependency.
 */
export const layer = (
  model: LanguageModelV4 | ((name: string) => LanguageModelV4),
  options: AiSdkOptions = {}
): Layer.Layer<ChatModel> => {
  const modelOf = typeof model === "function" ? model : () => model
  return Layer.effect(
    ChatModel,
    Effect.map(InlineImages.make(options.images), (inline) => ({
      provider,
      stream: (request) => Stream.unwrap(ask(modelOf, request, inline, options))
    }))
  )
}
