import { Schema } from "effect"
import * as TypedChunk from "./TypedChunk.ts"

const text = Schema.optionalKey(Schema.NullOr(Schema.String))
const count = Schema.optionalKey(Schema.NullOr(Schema.Finite))

/** Tokens, as far as they are told so far. */
const Usage = Schema.Struct({
  input_tokens: count,
  output_tokens: count,
  cache_read_input_tokens: count,
  cache_creation_input_tokens: count
})
export type Usage = typeof Usage.Type

/** What begins, goes on or is refused in a stream of the Messages API, as far as it is read. */
export const Chunk = Schema.Struct({
  type: Schema.String,
  message: Schema.optionalKey(Schema.NullOr(Schema.Struct({ usage: Schema.optionalKey(Schema.NullOr(Usage)) }))),
  content_block: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({
        type: Schema.String,
        text,
        thinking: text,
        signature: text,
        data: text,
        id: text,
        name: text,
        input: Schema.optionalKey(Schema.Json)
      })
    )
  ),
  delta: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({
        text,
        thinking: text,
        signature: text,
        partial_json: text,
        stop_reason: text
      })
    )
  ),
  usage: Schema.optionalKey(Schema.NullOr(Usage)),
  error: Schema.optionalKey(Schema.Json)
})
export type Chunk = typeof Chunk.Type

/** The types of events that are read; others, which may come one day, are passed over. */
const types = new Set([
  "message_start",
  "content_block_start",
  "content_block_delta",
  "content_block_stop",
  "message_delta",
  "message_stop",
  "error"
])

/** A chunk from the data of an event. */
export const decode = TypedChunk.decoder("the Messages API", Chunk, types)
