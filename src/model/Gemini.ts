import { type Layer, Result, Schema } from "effect"
import type { HttpClient } from "effect/http"
import type { ChatModel, FinishReason, ModelEvent, Usage } from "./ChatModel.ts"
import * as GeminiRequest from "./GeminiRequest.ts"
import * as InlineImages from "./InlineImages.ts"
import { ModelError } from "./ModelError.ts"
import type { ModelProvider, Stepped } from "./ModelProvider.ts"
import * as ModelTransport from "./ModelTransport.ts"
import * as ModelUsage from "./ModelUsage.ts"
import * as ProviderError from "./ProviderError.ts"
import type { ToolNames } from "./ToolNames.ts"
import * as UnreadableChunk from "./UnreadableChunk.ts"

const text = Schema.optionalKey(Schema.NullOr(Schema.String))
const count = Schema.optionalKey(Schema.NullOr(Schema.Finite))

const Part = Schema.Struct({
  text,
  thought: Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
  thoughtSignature: text,
  functionCall: Schema.optionalKey(
    Schema.NullOr(Schema.Struct({ id: text, name: text, args: Schema.optionalKey(Schema.Json) }))
  )
})
type Part = typeof Part.Type

/** A chunk of the Gemini API, as far as it is read. */
const Chunk = Schema.Struct({
  candidates: Schema.optionalKey(
    Schema.NullOr(
      Schema.Array(
        Schema.Struct({
          content: Schema.optionalKey(
            Schema.NullOr(Schema.Struct({ parts: Schema.optionalKey(Schema.NullOr(Schema.Array(Part))) }))
          ),
          finishReason: text
        })
      )
    )
  ),
  promptFeedback: Schema.optionalKey(Schema.NullOr(Schema.Struct({ blockReason: text }))),
  usageMetadata: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({
        promptTokenCount: count,
        candidatesTokenCount: count,
        thoughtsTokenCount: count,
        cachedContentTokenCount: count
      })
    )
  ),
  error: Schema.optionalKey(Schema.Json)
})
type Chunk = typeof Chunk.Type

const decodeJson = Schema.decodeUnknownResult(Schema.fromJsonString(Chunk))

/** How far an answer has been read. */
export interface GeminiState {
  readonly names: ToolNames
  readonly model: string
  readonly reason: FinishReason | undefined
  readonly usage: Usage | undefined
}

const bad = (message: string) => new ModelError({ reason: "bad_response", message, retryable: true })

const toUsage = ({ usageMetadata: usage }: Chunk, before: Usage | undefined): Usage | undefined => {
  if (usage === undefined || usage === null) return before
  return ModelUsage.make({
    input: usage.promptTokenCount,
    output: (usage.candidatesTokenCount ?? 0) + (usage.thoughtsTokenCount ?? 0),
    cached: usage.cachedContentTokenCount,
    reasoning: usage.thoughtsTokenCount
  })
}

const hearPart = (
  { functionCall, text, thought, thoughtSignature }: Part,
  state: GeminiState
): ReadonlyArray<ModelEvent> => {
  if (functionCall !== undefined && functionCall !== null && typeof functionCall.name === "string") {
    const { args, id, name } = functionCall
    const data = {
      model: state.model,
      ...(typeof id === "string" && id !== "" ? { id } : {}),
      ...(typeof thoughtSignature === "string" && thoughtSignature !== "" ? { thoughtSignature } : {})
    }
    const input = args === undefined || args === null ? "" : JSON.stringify(args)
    return [{ type: "tool_call", name: state.names.toName(name), arguments: input, data }]
  }
  if (typeof text !== "string" || text === "") return []
  return [{ type: thought === true ? "thinking_delta" : "text_delta", delta: text }]
}

const refusals = /SAFETY|RECITATION|BLOCKLIST|PROHIBITED_CONTENT|SPII|IMAGE_SAFETY/

const toReason = (reason: string): Result.Result<FinishReason, ModelError> => {
  if (reason === "MAX_TOKENS") return Result.succeed("length")
  if (refusals.test(reason)) return Result.succeed("refusal")
  return reason === "MALFORMED_FUNCTION_CALL" || reason === "UNEXPECTED_TOOL_CALL"
    ? Result.fail(bad(`the model made a call that its provider could not read (${reason})`))
    : Result.succeed("stop")
}

const step = (state: GeminiState, chunk: Chunk): Stepped<GeminiState> =>
  Result.gen(function* () {
    if (chunk.error !== undefined && chunk.error !== null) {
      return yield* Result.fail(ProviderError.inStream(chunk.error))
    }
    const candidate = chunk.candidates?.[0]
    const events = (candidate?.content?.parts ?? []).flatMap((part) => hearPart(part, state))
    const usage = toUsage(chunk, state.usage)
    const blocked = chunk.promptFeedback?.blockReason ?? ""
    const ended = candidate?.finishReason ?? ""
    if (blocked !== "") return [{ ...state, usage, reason: "refusal" }, events] as const
    if (ended === "") return [{ ...state, usage }, events] as const
    return Result.match(toReason(ended), {
      onFailure: (error) => [state, events, error] as const,
      onSuccess: (reason) => [{ ...state, usage, reason }, events] as const
    })
  })

/** The Gemini API, as Google speaks it. */
export const provider = (showThoughts: boolean): ModelProvider<GeminiState, Chunk> => ({
  name: GeminiRequest.provider,
  headers: {},
  auth: (key) => ({ "x-goog-api-key": key }),
  encode: (request) => {
    const { body, names } = GeminiRequest.encode(request, showThoughts)
    return {
      path: `/v1beta/models/${encodeURIComponent(request.model)}:streamGenerateContent?alt=sse`,
      body,
      state: { names, model: request.model, reason: undefined, usage: undefined }
    }
  },
  decoder: () => (json) =>
    Result.mapError(decodeJson(json), () => UnreadableChunk.make("chunk of the Gemini API", json)),
  isLast: (data) => data.trim() === "[DONE]",
  isOver: () => false,
  step,
  end: ({ reason, usage }) =>
    reason === undefined
      ? Result.fail(bad("the model server's answer ended early, without a finish reason"))
      : Result.succeed([{ type: "finish", reason, ...(usage === undefined ? {} : { usage }) }]),
  refuse: ProviderError.refuse
})

/** Where the API is, whose key is sent, and whether thoughts are asked for. */
export interface GeminiOptions extends Omit<ModelTransport.Connection, "baseUrl"> {
  /** Without a version; `https://generativelanguage.googleapis.com` by default. */
  readonly baseUrl?: string
  /** Whether the model's thoughts are shown; models that do not think refuse it. No by default. */
  readonly showThoughts?: boolean
  /** How images that stand at an address are fetched: the API fetches none. */
  readonly images?: InlineImages.InlineImagesOptions
}

/** The models of Google. */
export const layer = (options: GeminiOptions = {}): Layer.Layer<ChatModel, never, HttpClient.HttpClient> => {
  const { baseUrl = "https://generativelanguage.googleapis.com", showThoughts = false } = options
  const value = provider(showThoughts)
  const model = ModelTransport.layer(value, { ...options, baseUrl })
  return InlineImages.layer(model, options.images)
}
