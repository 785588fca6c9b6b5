import { Result, Schema } from "effect"
import type { ModelError } from "./ModelError.ts"
import * as UnreadableChunk from "./UnreadableChunk.ts"

const Typed = Schema.Struct({ type: Schema.String })
const decodeType = Schema.decodeUnknownResult(Schema.fromJsonString(Typed))

/**
 * Decodes the events of a stream that names their types. One of a type that is not read is passed over, whatever it looks
 * like: providers add to their streams.
 */
export const decoder = <S extends Schema.ConstraintDecoder<unknown>>(
  api: string,
  schema: S,
  types: ReadonlySet<string>
): ((json: string) => Result.Result<S["Type"] | typeof Typed.Type, ModelError>) => {
  const decodeKnown = Schema.decodeUnknownResult(Schema.fromJsonString(schema))
  return (json) =>
    Result.mapError(
      Result.flatMap(
        decodeType(json),
        (typed): Result.Result<S["Type"] | typeof Typed.Type, Schema.SchemaError> =>
          types.has(typed.type) ? decodeKnown(json) : Result.succeed(typed)
      ),
      () => UnreadableChunk.make(`event of ${api}`, json)
    )
}
