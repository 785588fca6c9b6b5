import { type Layer, Result, Schema } from "effect"
import type { HttpClient } from "effect/http"
import type { ChatModel, FinishReason, ModelEvent, Usage } from "./ChatModel.ts"
import { ModelError } from "./ModelError.ts"
import type { ModelProvider, Stepped } from "./ModelProvider.ts"
import * as ModelTransport from "./ModelTransport.ts"
import * as ModelUsage from "./ModelUsage.ts"
import * as OpenAiChunk from "./OpenAiChunk.ts"
import * as OpenAiResponsesRequest from "./OpenAiResponsesRequest.ts"
import * as ProviderError from "./ProviderError.ts"
import type { ToolNames } from "./ToolNames.ts"
import * as TypedChunk from "./TypedChunk.ts"

const text = Schema.optionalKey(Schema.NullOr(Schema.String))
const count = Schema.optionalKey(Schema.NullOr(Schema.Finite))

/** An event of the Responses API, as far as it is read. */
const Chunk = Schema.Struct({
  type: Schema.String,
  delta: text,
  summary_index: count,
  item: Schema.optionalKey(Schema.NullOr(Schema.JsonObject)),
  message: text,
  code: Schema.optionalKey(Schema.Json),
  error: Schema.optionalKey(Schema.Json),
  response: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({
        error: Schema.optionalKey(Schema.Json),
        incomplete_details: Schema.optionalKey(Schema.NullOr(Schema.Struct({ reason: text }))),
        usage: Schema.optionalKey(
          Schema.NullOr(
            Schema.Struct({
              input_tokens: count,
              output_tokens: count,
              input_tokens_details: Schema.optionalKey(Schema.NullOr(Schema.Struct({ cached_tokens: count }))),
              output_tokens_details: Schema.optionalKey(Schema.NullOr(Schema.Struct({ reasoning_tokens: count })))
            })
          )
        )
      })
    )
  )
})
type Chunk = typeof Chunk.Type

const FunctionCall = Schema.Struct({
  type: Schema.Literal("function_call"),
  call_id: text,
  name: Schema.NonEmptyString,
  arguments: text
})

const isCall = Schema.is(FunctionCall)
const isReasoning = Schema.is(OpenAiResponsesRequest.ReasoningItem)

/** The types of events that are read. */
const types = new Set([
  "response.output_text.delta",
  "response.refusal.delta",
  "response.reasoning_summary_text.delta",
  "response.reasoning_text.delta",
  "response.reasoning_summary_part.added",
  "response.output_item.done",
  "response.completed",
  "response.incomplete",
  "response.failed",
  "error"
])

/** How far an answer has been read. */
export interface ResponsesState {
  readonly names: ToolNames
  readonly model: string
  readonly refused: boolean
  readonly reason: FinishReason | undefined
  readonly usage: Usage | undefined
}

const toUsage = ({ response }: Chunk): Usage | undefined => {
  const usage = response?.usage
  if (usage === undefined || usage === null) return undefined
  return ModelUsage.make({
    input: usage.input_tokens,
    output: usage.output_tokens,
    cached: usage.input_tokens_details?.cached_tokens,
    reasoning: usage.output_tokens_details?.reasoning_tokens
  })
}

const say = (state: ResponsesState, type: "text_delta" | "thinking_delta", { delta }: Chunk): Stepped<ResponsesState> =>
  Result.succeed([state, typeof delta === "string" && delta !== "" ? [{ type, delta }] : []])

const hearItem = ({ model, names }: ResponsesState, item: Chunk["item"]): ReadonlyArray<ModelEvent> => {
  if (isReasoning(item)) {
    const { encrypted_content, id, summary } = item
    const data: OpenAiResponsesRequest.ReasoningData = {
      model,
      item: { type: "reasoning", id, summary, encrypted_content }
    }
    return [{ type: "provider_data", data }]
  }
  if (!isCall(item)) return []
  const data = typeof item.call_id === "string" && item.call_id !== "" ? { data: item.call_id } : {}
  return [{ type: "tool_call", name: names.toName(item.name), arguments: item.arguments ?? "", ...data }]
}

const stop = (state: ResponsesState, chunk: Chunk, reason: FinishReason): Stepped<ResponsesState> =>
  Result.succeed([{ ...state, usage: toUsage(chunk), reason: state.refused ? "refusal" : reason }, []])

const step = (state: ResponsesState, chunk: Chunk): Stepped<ResponsesState> => {
  switch (chunk.type) {
    case "response.output_text.delta":
      return say(state, "text_delta", chunk)
    case "response.refusal.delta":
      return say({ ...state, refused: true }, "text_delta", chunk)
    case "response.reasoning_summary_text.delta":
    case "response.reasoning_text.delta":
      return say(state, "thinking_delta", chunk)
    case "response.reasoning_summary_part.added":
      return (chunk.summary_index ?? 0) > 0
        ? Result.succeed([state, [{ type: "thinking_delta", delta: "\n\n" }]])
        : Result.succeed([state, []])
    case "response.output_item.done":
      return Result.succeed([state, hearItem(state, chunk.item)])
    case "response.completed":
      return stop(state, chunk, "stop")
    case "response.incomplete":
      return stop(state, chunk, chunk.response?.incomplete_details?.reason === "content_filter" ? "refusal" : "length")
    case "response.failed":
      return Result.fail(ProviderError.inStream(chunk.response?.error))
    case "error":
      return Result.fail(
        ProviderError.inStream(chunk.error ?? { code: chunk.code ?? null, message: chunk.message ?? null })
      )
    default:
      return Result.succeed([state, []])
  }
}

const decode = TypedChunk.decoder("the Responses API", Chunk, types)

const bad = (message: string) => new ModelError({ reason: "bad_response", message, retryable: true })

/** The Responses API, as OpenAI speaks it. */
export const provider = (
  options: OpenAiResponsesRequest.ReasoningOptions = {}
): ModelProvider<ResponsesState, Chunk> => ({
  name: OpenAiResponsesRequest.provider,
  headers: {},
  auth: (key) => ({ authorization: `Bearer ${key}` }),
  encode: (request) => {
    const { body, names } = OpenAiResponsesRequest.encode(request, options)
    return {
      path: "/responses",
      body,
      state: { names, model: request.model, refused: false, reason: undefined, usage: undefined }
    }
  },
  decoder: () => decode,
  isLast: OpenAiChunk.isLast,
  isOver: ({ type }) => type === "response.completed" || type === "response.incomplete",
  step,
  end: ({ reason, usage }) =>
    reason === undefined
      ? Result.fail(bad("the model server's answer ended early, before it was completed"))
      : Result.succeed([{ type: "finish", reason, ...(usage === undefined ? {} : { usage }) }]),
  refuse: ProviderError.refuse
})

/** Where the API is, whose key is sent, and how a reasoning model reasons. */
export interface OpenAiResponsesOptions extends Omit<ModelTransport.Connection, "baseUrl"> {
  /** With its version; `https://api.openai.com/v1` by default. */
  readonly baseUrl?: string
  readonly reasoning?: OpenAiResponsesRequest.ReasoningOptions
}

/** The models of OpenAI, by the Responses API. */
export const layer = (options: OpenAiResponsesOptions = {}): Layer.Layer<ChatModel, never, HttpClient.HttpClient> => {
  const { baseUrl = "https://api.openai.com/v1", reasoning } = options
  const value = provider(reasoning)
  return ModelTransport.layer(value, { ...options, baseUrl })
}
