import { type Layer, Result } from "effect"
import type { HttpClient } from "effect/http"
import * as AnthropicChunk from "./AnthropicChunk.ts"
import * as AnthropicRequest from "./AnthropicRequest.ts"
import * as ChunkTemplate from "./ChunkTemplate.ts"
import type { ChatModel, FinishReason, ModelEvent, Usage } from "./ChatModel.ts"
import { ModelError } from "./ModelError.ts"
import type { ModelProvider, Stepped } from "./ModelProvider.ts"
import * as ModelTransport from "./ModelTransport.ts"
import * as ProviderError from "./ProviderError.ts"
import type { ToolNames } from "./ToolNames.ts"

/** The block that is being streamed. */
type Open =
  | { readonly type: "text" }
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly json: string }

/** How far an answer has been read. */
export interface AnthropicState {
  readonly names: ToolNames
  readonly model: string
  readonly open: Open | undefined
  readonly stopReason: string | undefined
  readonly usage: Usage
}

const toUsage = (before: Usage, usage: AnthropicChunk.Usage | null | undefined): Usage => {
  if (usage === null || usage === undefined) return before
  const cached = usage.cache_read_input_tokens ?? before.cachedTokens ?? 0
  const written = usage.cache_creation_input_tokens ?? 0
  const input = usage.input_tokens
  return {
    inputTokens: input === undefined || input === null ? before.inputTokens : input + cached + written,
    outputTokens: usage.output_tokens ?? before.outputTokens,
    cachedTokens: cached
  }
}

const say = (type: "text_delta" | "thinking_delta", delta: string | null | undefined): ReadonlyArray<ModelEvent> =>
  delta === undefined || delta === null || delta === "" ? [] : [{ type, delta }]

const begin = (state: AnthropicState, { content_block: block }: AnthropicChunk.Chunk): Stepped<AnthropicState> => {
  switch (block?.type) {
    case "text":
      return Result.succeed([{ ...state, open: { type: "text" } }, say("text_delta", block.text)])
    case "thinking": {
      const open = { type: "thinking", thinking: block.thinking ?? "", signature: block.signature ?? "" } as const
      return Result.succeed([{ ...state, open }, say("thinking_delta", block.thinking)])
    }
    case "redacted_thinking": {
      const thought = { type: "redacted_thinking", data: block.data ?? "" } as const
      const data: AnthropicRequest.ThinkingData = { model: state.model, thought }
      return Result.succeed([{ ...state, open: undefined }, [{ type: "provider_data", data }]])
    }
    case "tool_use": {
      const isGiven = typeof block.input === "object" && block.input !== null && Object.keys(block.input).length > 0
      const json = isGiven ? JSON.stringify(block.input) : ""
      return Result.succeed([
        { ...state, open: { type: "tool_use", id: block.id ?? "", name: block.name ?? "", json } },
        []
      ])
    }
    default:
      return Result.succeed([{ ...state, open: undefined }, []])
  }
}

const grow = (state: AnthropicState, { delta }: AnthropicChunk.Chunk): Stepped<AnthropicState> => {
  const { open } = state
  if (open?.type === "tool_use") {
    return Result.succeed([{ ...state, open: { ...open, json: open.json + (delta?.partial_json ?? "") } }, []])
  }
  if (open?.type === "thinking") {
    const thinking = open.thinking + (delta?.thinking ?? "")
    const signature = open.signature + (delta?.signature ?? "")
    return Result.succeed([
      { ...state, open: { ...open, thinking, signature } },
      say("thinking_delta", delta?.thinking)
    ])
  }
  return Result.succeed([state, say("text_delta", delta?.text)])
}

const finishBlock = (state: AnthropicState): Stepped<AnthropicState> => {
  const { names, open } = state
  const next = { ...state, open: undefined }
  if (open?.type === "tool_use" && open.name !== "") {
    const data = open.id === "" ? {} : { data: open.id }
    return Result.succeed([next, [{ type: "tool_call", name: names.toName(open.name), arguments: open.json, ...data }]])
  }
  if (open?.type === "thinking" && open.signature !== "") {
    const { signature, thinking, type } = open
    const data: AnthropicRequest.ThinkingData = { model: state.model, thought: { type, thinking, signature } }
    return Result.succeed([next, [{ type: "provider_data", data }]])
  }
  return Result.succeed([next, []])
}

const step = (state: AnthropicState, chunk: AnthropicChunk.Chunk): Stepped<AnthropicState> => {
  switch (chunk.type) {
    case "message_start":
      return Result.succeed([{ ...state, usage: toUsage(state.usage, chunk.message?.usage) }, []])
    case "content_block_start":
      return Result.flatMap(finishBlock(state), ([closed, before]) =>
        Result.map(begin(closed, chunk), ([next, said]) => [next, [...before, ...said]] as const)
      )
    case "content_block_delta":
      return grow(state, chunk)
    case "content_block_stop":
      return finishBlock(state)
    case "message_delta": {
      const stopReason = chunk.delta?.stop_reason ?? state.stopReason
      return Result.succeed([{ ...state, stopReason, usage: toUsage(state.usage, chunk.usage) }, []])
    }
    case "error":
      return Result.fail(ProviderError.inStream(chunk.error))
    default:
      return Result.succeed([state, []])
  }
}

const toReason = (reason: string): FinishReason =>
  reason === "max_tokens" || reason === "model_context_window_exceeded"
    ? "length"
    : reason === "refusal"
      ? "refusal"
      : "stop"

const unfinished = new ModelError({
  reason: "bad_response",
  message: "the model server's answer ended early, without a stop reason",
  retryable: true
})

/** Blanks before the last brace, as many as hide how long the text is. */
const padding = /[ \t]+\}$/

const textChunks: ChunkTemplate.TextChunks<AnthropicChunk.Chunk> = {
  decode: AnthropicChunk.decode,
  textOf: ({ delta, type }) => (type === "content_block_delta" ? (delta?.text ?? undefined) : undefined),
  withText: (chunk, text) => ({ ...chunk, delta: { ...chunk.delta, text } }),
  unpad: (rest) => rest.replace(padding, "}")
}

/** The Messages API, as Anthropic speaks it. */
export const provider = (
  limits: AnthropicRequest.AnthropicLimits
): ModelProvider<AnthropicState, AnthropicChunk.Chunk> => ({
  name: AnthropicRequest.provider,
  headers: { "anthropic-version": "2023-06-01" },
  auth: (key) => ({ "x-api-key": key }),
  encode: (request) => {
    const { body, names } = AnthropicRequest.encode(request, limits)
    const usage = { inputTokens: 0, outputTokens: 0 }
    return {
      path: "/v1/messages",
      body,
      state: { names, model: request.model, open: undefined, stopReason: undefined, usage }
    }
  },
  decoder: () => ChunkTemplate.decoder(textChunks),
  isLast: () => false,
  isOver: (chunk) => chunk.type === "message_stop",
  step,
  end: (state) => {
    const { stopReason, usage } = state
    if (stopReason === undefined) return Result.fail(unfinished)
    return Result.map(finishBlock(state), ([, events]) => [
      ...events,
      { type: "finish", reason: toReason(stopReason), usage }
    ])
  },
  refuse: ProviderError.refuse
})

/** Where the API is, whose key is sent, and what an answer may take. */
export interface AnthropicOptions
  extends Partial<AnthropicRequest.AnthropicLimits>,
    Omit<ModelTransport.Connection, "baseUrl"> {
  /** Without a version; `https://api.anthropic.com` by default. */
  readonly baseUrl?: string
}

/** The models of Anthropic. */
export const layer = (options: AnthropicOptions = {}): Layer.Layer<ChatModel, never, HttpClient.HttpClient> => {
  const { baseUrl = "https://api.anthropic.com", maxTokens = 8192, thinkingBudget = 0 } = options
  const value = provider({ maxTokens, thinkingBudget })
  return ModelTransport.layer(value, { ...options, baseUrl })
}
