import { Context, Effect, Layer, type Schema, type Stream } from "effect"
import type * as Arr from "effect/Array"
import type { HistoryEntry } from "../history/HistoryEntry.ts"
import type { ToolSpec } from "../protocol/Tool.ts"
import * as Fallback from "./Fallback.ts"
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
 *
 * `provider` says who speaks, and whose data it is, where that is not the `ChatModel`'s own `provider`.
 */
export type ModelEvent =
  | { readonly type: "text_delta"; readonly delta: string }
  | { readonly type: "thinking_delta"; readonly delta: string }
  | { readonly type: "provider_data"; readonly data: Schema.Json; readonly provider?: string }
  | {
      readonly type: "tool_call"
      readonly name: string
      readonly arguments: string
      readonly data?: Schema.Json
      readonly provider?: string
    }
  | { readonly type: "finish"; readonly reason: FinishReason; readonly usage?: Usage; readonly provider?: string }

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
>()("effect-aap/ChatModel") {
  /**
   * One model of several: each request goes to the first, and to the next where one fails before anything of its answer
   * was seen. `model` is the name that a candidate is asked for; the first is usually asked for the session's own.
   *
   *     ChatModel.fallback([
   *       { layer: OpenAiChat.layer({ baseUrl, apiKey }) },
   *       { layer: Anthropic.layer({ apiKey: other }), model: "claude-sonnet-4-5" }
   *     ])
   */
  static readonly fallback = <E, R>(
    candidates: Arr.NonEmptyReadonlyArray<FallbackCandidate<E, R>>
  ): Layer.Layer<ChatModel, E, R> =>
    Layer.effect(
      ChatModel,
      Effect.map(
        Effect.forEach(candidates, ({ layer, model }) =>
          Effect.map(Layer.build(layer), (context) => {
            const service = Context.get(context, ChatModel)
            return model === undefined ? { service } : { service, model }
          })
        ),
        Fallback.make
      )
    )
}

/** A model that others stand in for, or that stands in for others. */
export interface FallbackCandidate<E = never, R = never> {
  readonly layer: Layer.Layer<ChatModel, E, R>
  /** Its name at its provider; that of the request where absent. */
  readonly model?: string
}
