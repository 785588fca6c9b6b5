import { Option, Schema } from "effect"
import { JsonObject } from "../protocol/Content.ts"

/**
 * What the scripted model does next.
 *
 * - `text`, `thinking`: says it, piece by piece; an answer that is not streamed has it whole.
 * - `call`: calls a tool.
 * - `hold`: says nothing more until it is released.
 * - `fail`: answers with this status where it has said nothing yet or is not streamed, else ends without a finish.
 * - `overflow`: says nothing, and answers that the conversation is too long for the model's context.
 * - `finish`: ends with a finish reason of chat completions; `stop` or `tool_calls` by itself.
 */
export const Action = Schema.Union([
  Schema.Struct({ text: Schema.Array(Schema.String) }),
  Schema.Struct({ thinking: Schema.Array(Schema.String) }),
  Schema.Struct({ call: Schema.Struct({ name: Schema.String, input: JsonObject }) }),
  Schema.Struct({ hold: Schema.Literal(true) }),
  Schema.Struct({ fail: Schema.Int }),
  Schema.Struct({ overflow: Schema.Literal(true) }),
  Schema.Struct({ finish: Schema.Literals(["length", "content_filter"]) })
])
export type Action = typeof Action.Type

/** What the model does from one user message on: a list of actions for each time that it is asked. */
export const Script = Schema.Struct({
  /** Under which name the model keeps what it was asked. */
  tag: Schema.NonEmptyString,
  steps: Schema.Array(Schema.Array(Action))
})
export type Script = typeof Script.Type

const Written = Schema.fromJsonString(Script)
const encode = Schema.encodeSync(Written)
const decode = Schema.decodeOption(Written)

const begin = "<aap-script>"
const end = "</aap-script>"

/** A script as it stands in what a user says: whatever a server puts around it, the model finds it there. */
export const write = (script: Script): string => `${begin}${encode(script)}${end}`

/** The script that stands in a text, if one does. */
export const find = (text: string): Option.Option<Script> => {
  const from = text.lastIndexOf(begin)
  const to = text.lastIndexOf(end)
  return from === -1 || to < from ? Option.none() : decode(text.slice(from + begin.length, to))
}
