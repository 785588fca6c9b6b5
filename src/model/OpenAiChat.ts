import { type Layer, Option, Result } from "effect"
import type { HttpClient } from "effect/http"
import * as ChunkTemplate from "./ChunkTemplate.ts"
import type { ChatModel, FinishReason, ModelEvent, Usage } from "./ChatModel.ts"
import { ModelError } from "./ModelError.ts"
import type { ModelProvider, Stepped } from "./ModelProvider.ts"
import * as ModelTransport from "./ModelTransport.ts"
import * as ModelUsage from "./ModelUsage.ts"
import * as OpenAiCalls from "./OpenAiCalls.ts"
import * as OpenAiChunk from "./OpenAiChunk.ts"
import * as OpenAiReasoning from "./OpenAiReasoning.ts"
import * as OpenAiRequest from "./OpenAiRequest.ts"
import * as ProviderError from "./ProviderError.ts"
import type { ToolNames } from "./ToolNames.ts"

/** How far an answer has been read. */
export interface OpenAiState {
  readonly names: ToolNames
  readonly model: string
  /** What was reasoned since something else was last said. */
  readonly reasoned: OpenAiReasoning.Reasoning
  readonly calls: ReadonlyArray<OpenAiCalls.PartialCall>
  readonly spoke: boolean
  readonly reason: FinishReason | undefined
  readonly usage: Usage | undefined
}

const toReason = (reason: string): FinishReason =>
  reason === "length" || reason === "max_tokens" || reason === "model_length"
    ? "length"
    : reason === "content_filter" || reason === "refusal"
      ? "refusal"
      : "stop"

const toUsage = (usage: OpenAiChunk.ChunkUsage): Usage =>
  ModelUsage.make({
    input: usage.prompt_tokens,
    output: usage.completion_tokens,
    cached: usage.prompt_tokens_details?.cached_tokens,
    reasoning: usage.completion_tokens_details?.reasoning_tokens
  })

const delta = (type: "text_delta" | "thinking_delta", text: string): ReadonlyArray<ModelEvent> =>
  text === "" ? [] : [{ type, delta: text }]

const finish = ({ reason, usage }: Pick<OpenAiState, "reason" | "usage">): ModelEvent => ({
  type: "finish",
  reason: reason ?? "stop",
  ...(usage === undefined ? {} : { usage })
})

const endedBadly = ProviderError.inStream("the model server ended its answer with an error")

/** A piece of text, and nothing else. What was reasoned goes before it, and is told with it. */
const stepText = (state: OpenAiState, text: string): Stepped<OpenAiState> => {
  if (text === "") return Result.succeed([state, []])
  const event: ModelEvent = { type: "text_delta", delta: text }
  const { model, reasoned, spoke } = state
  return OpenAiReasoning.isNone(reasoned)
    ? Result.succeed([spoke ? state : { ...state, spoke: true }, [event]])
    : Result.succeed([
        { ...state, reasoned: OpenAiReasoning.none, spoke: true },
        [...OpenAiReasoning.toEvents(reasoned, model), event]
      ])
}

const step = (state: OpenAiState, chunk: OpenAiChunk.Chunk | string): Stepped<OpenAiState> => {
  if (typeof chunk === "string") return stepText(state, chunk)
  if (chunk.error !== undefined && chunk.error !== null && chunk.error !== "")
    return Result.fail(ProviderError.inStream(chunk.error))
  const usage = Option.getOrElse(Option.map(OpenAiChunk.decodeUsage(chunk.usage), toUsage), () => state.usage)
  const choice = chunk.choices?.find(({ index }) => index === undefined || index === null || index === 0)
  const message = choice?.delta ?? choice?.message ?? {}
  const thoughts = delta("thinking_delta", message.reasoning_content || OpenAiChunk.contentText(message.reasoning))
  const text = delta("text_delta", OpenAiChunk.contentText(message.content) || (message.refusal ?? ""))
  const calls = (message.tool_calls ?? []).reduce(OpenAiCalls.add, state.calls)
  const ended = choice?.finish_reason ?? ""
  const reasoned = OpenAiReasoning.add(state.reasoned, message)
  const isReasoned = text.length > 0 || ended !== ""
  const events = [...thoughts, ...(isReasoned ? OpenAiReasoning.toEvents(reasoned, state.model) : []), ...text]
  const refused = message.refusal !== undefined && message.refusal !== null && message.refusal !== ""
  const reason = refused
    ? "refusal"
    : ended === ""
      ? state.reason
      : state.reason === "refusal"
        ? "refusal"
        : toReason(ended)
  const next = {
    ...state,
    calls,
    usage,
    reason,
    reasoned: isReasoned ? OpenAiReasoning.none : reasoned,
    spoke: state.spoke || events.length > 0 || calls.length > 0
  }
  if (ended === "error") return Result.succeed([next, events, endedBadly])
  if (ended !== "" && calls.length > 0) {
    return Result.succeed([
      { ...next, calls: [] },
      [...events, ...OpenAiCalls.toEvents(calls, state.names, state.model)]
    ])
  }
  return Result.succeed([next, events])
}

const unfinished = new ModelError({
  reason: "bad_response",
  message: "the model server's answer ended early, without a finish",
  retryable: true
})

const end = (state: OpenAiState, complete: boolean): Result.Result<ReadonlyArray<ModelEvent>, ModelError> =>
  state.reason !== undefined || (complete && state.spoke)
    ? Result.succeed([
        ...OpenAiReasoning.toEvents(state.reasoned, state.model),
        ...OpenAiCalls.toEvents(state.calls, state.names, state.model),
        finish(state)
      ])
    : Result.fail(unfinished)

/** A chunk that says a piece of text and nothing else is that text. */
const textChunks: ChunkTemplate.TextChunks<OpenAiChunk.Chunk | string> = {
  decode: OpenAiChunk.decode,
  textOf: (chunk) => (typeof chunk === "string" ? chunk : undefined),
  withText: (_, text) => text,
  unpad: OpenAiChunk.unpad
}

/** Streaming chat completions, as OpenAI and all that are compatible with it speak them. */
export const provider: ModelProvider<OpenAiState, OpenAiChunk.Chunk | string> = {
  name: OpenAiRequest.provider,
  encode: (request) => {
    const { body, names } = OpenAiRequest.encode(request)
    return {
      path: "/chat/completions",
      body,
      state: {
        names,
        model: request.model,
        reasoned: OpenAiReasoning.none,
        calls: [],
        spoke: false,
        reason: undefined,
        usage: undefined
      }
    }
  },
  headers: {},
  auth: (key) => ({ authorization: `Bearer ${key}` }),
  decoder: () => ChunkTemplate.decoder(textChunks),
  isLast: OpenAiChunk.isLast,
  isOver: () => false,
  step,
  end,
  refuse: ProviderError.refuse
}

/** Where a compatible server is, such as `https://api.openai.com/v1`; local ones need no key. */
export type OpenAiOptions = ModelTransport.Connection

/** The models of an OpenAI-compatible server. */
export const layer = (options: OpenAiOptions): Layer.Layer<ChatModel, never, HttpClient.HttpClient> =>
  ModelTransport.layer(provider, options)
