import { Result, Schema } from "effect"
import { ModelError } from "./ModelError.ts"

const text = Schema.optionalKey(Schema.NullOr(Schema.String))
const count = Schema.optionalKey(Schema.NullOr(Schema.Finite))

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
  index: count,
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
        type: text,
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

const decodeJson = Schema.decodeUnknownResult(Schema.fromJsonString(Chunk))

/** A chunk from the data of an event. */
export const decode = (json: string): Result.Result<Chunk, ModelError> =>
  Result.mapError(
    decodeJson(json),
    () =>
      new ModelError({
        reason: "bad_response",
        message: `the model server sent no event of the Messages API: ${json.slice(0, 200)}`,
        retryable: true
      })
  )
