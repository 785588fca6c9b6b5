import { Result, Schema } from "effect"
import { isTooDeep, maxDepth } from "../history/JsonDepth.ts"
import { JsonObject } from "../protocol/Content.ts"

const decode = Schema.decodeUnknownResult(Schema.fromJsonString(JsonObject))

/**
 * The input of a call from the arguments as the model wrote them. Nothing, or only blanks, means no input: `{}`.
 * Whatever else is no JSON object is refused with a sentence that the model can act on.
 */
export const parse = (text: string): Result.Result<JsonObject, string> => {
  if (text.trim() === "") return Result.succeed({})
  if (isTooDeep(text)) return Result.fail(`The arguments nest deeper than ${maxDepth} levels.`)
  return Result.mapError(
    decode(text),
    () => "The arguments are not a JSON object, perhaps because they were cut off. Send one whole JSON object."
  )
}
