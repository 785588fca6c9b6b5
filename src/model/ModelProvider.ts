import type { Result, Schema } from "effect"
import type { ModelEvent, ModelRequest } from "./ChatModel.ts"
import type { ModelError } from "./ModelError.ts"

/** A request as a provider takes it. */
export interface EncodedRequest<State> {
  /** Where it goes, below the provider's base URL. */
  readonly path: string
  readonly body: Schema.Json
  /** Where reading the answer begins. */
  readonly state: State
}

/** What an answer's chunk leads to; `failure` where the answer fails once its events are heard. */
export type Stepped<State> = Result.Result<
  readonly [State, ReadonlyArray<ModelEvent>, failure?: ModelError],
  ModelError
>

/** Decodes the JSON of a chunk. */
export type ChunkDecoder<Chunk> = (json: string) => Result.Result<Chunk, ModelError>

/** An answer that is no success. */
export interface RefusedRequest {
  readonly status: number
  /** The body, cut to a length that a log takes. */
  readonly body: string
  readonly retryAfterMillis: number | undefined
}

/**
 * A provider's protocol as a value: how a request is encoded, what its chunks are, what each means, and when the answer
 * is whole. All of it is pure; HTTP, auth, framing and timeouts are the transport's.
 */
export interface ModelProvider<State, Chunk> {
  /** Whose provider data this protocol reads and writes. */
  readonly name: string
  readonly encode: (request: ModelRequest) => EncodedRequest<State>
  /** Headers of every request. */
  readonly headers: Readonly<Record<string, string>>
  /** The header that carries the key. */
  readonly auth: (key: string) => Readonly<Record<string, string>>
  /** A decoder for the chunks of one answer. */
  readonly decoder: () => ChunkDecoder<Chunk>
  /** Whether this data ends the stream by itself, as `[DONE]` does. */
  readonly isLast: (data: string) => boolean
  /** Whether this chunk is the last. */
  readonly isOver: (chunk: Chunk) => boolean
  readonly step: (state: State, chunk: Chunk) => Stepped<State>
  /** What is left to say when the stream has ended; `complete` says whether it ended as the protocol ends one. */
  readonly end: (state: State, complete: boolean) => Result.Result<ReadonlyArray<ModelEvent>, ModelError>
  readonly refuse: (refused: RefusedRequest) => ModelError
}
