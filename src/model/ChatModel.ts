import { Context, type Schema, type Stream } from "effect"
import type { HistoryEntry } from "../history/HistoryEntry.ts"
import type { ToolSpec } from "../protocol/Tool.ts"
import type { ModelError } from "./ModelError.ts"

/** What a model is asked. */
export interface ModelRequest {
  /** The provider's name of the model. */
  readonly model: string
  /** The agent's instructions; may be empty. */
  readonly system: string
  /** The conversation, every call in it answered. */
  readonly history: ReadonlyArray<HistoryEntry>
  readonly tools: ReadonlyArray<ToolSpec>
  /** The most tokens that the answer may take; the provider's own limit where absent. */
  readonly maxTokens?: number
}

/** Tokens that a request took. `cachedTokens` are a part of `inputTokens`, `reasoningTokens` of `outputTokens`. */
export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedTokens?: number
  readonly reasoningTokens?: number
}

/** Why a model stopped. Whether it calls tools is told by its calls alone. */
export type FinishReason = "stop" | "length" | "refusal"

/**
 * What a model says, in order.
 *
 * - `text_delta`, `thinking_delta`: a piece of the current block. Another kind begins another block.
 * - `provider_data`: what the provider wants back with the thinking that was just streamed, or before the block that
 *   comes next (see `ProviderData`).
 * - `tool_call`: a whole call. `arguments` is the JSON text as the model wrote it, which may be anything;
 *   `data` is what the provider wants back with this call.
 * - `finish`: the last event. A stream that ends without it has failed.
 */
export type ModelEvent =
  | { readonly type: "text_delta"; readonly delta: string }
  | { readonly type: "thinking_delta"; readonly delta: string }
  | { readonly type: "provider_data"; readonly data: Schema.Json }
  | { readonly type: "tool_call"; readonly name: string; readonly arguments: string; readonly data?: Schema.Json }
  | { readonly type: "finish"; readonly reason: FinishReason; readonly usage?: Usage }

/**
 * The language model, as a turn sees it. `provider` names whose provider data this model reads and writes. A request is
 * made once the stream is run, and is aborted when the stream is interrupted; it is never retried in here.
 */
export class ChatModel extends Context.Service<
  ChatModel,
  {
    readonly provider: string
    readonly stream: (request: ModelRequest) => Stream.Stream<ModelEvent, ModelError>
  }
>()("effect-aap/ChatModel") {}
