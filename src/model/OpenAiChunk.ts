import { Result, Schema } from "effect"
import { ModelError } from "./ModelError.ts"

const text = Schema.optionalKey(Schema.NullOr(Schema.String))

/** A part of a tool call. Servers leave out, repeat and mix up every field of it. */
export const ToolCallDelta = Schema.Struct({
  index: Schema.optionalKey(Schema.NullOr(Schema.Finite)),
  id: Schema.optionalKey(Schema.Json),
  /** What Gemini's compatible endpoint wants back with the call. */
  extra_content: Schema.optionalKey(Schema.Json),
  function: Schema.optionalKey(Schema.NullOr(Schema.Struct({ name: text, arguments: Schema.optionalKey(Schema.Json) })))
})
export type ToolCallDelta = typeof ToolCallDelta.Type

/** A message of an answer, or a part of one. */
export const Message = Schema.Struct({
  content: Schema.optionalKey(Schema.Json),
  reasoning_content: text,
  reasoning: Schema.optionalKey(Schema.Json),
  reasoning_details: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.Json))),
  refusal: text,
  tool_calls: Schema.optionalKey(Schema.NullOr(Schema.Array(ToolCallDelta)))
})

export type Message = typeof Message.Type

const count = Schema.optionalKey(Schema.NullOr(Schema.Finite))

const ChunkUsage = Schema.Struct({
  prompt_tokens: count,
  completion_tokens: count,
  prompt_tokens_details: Schema.optionalKey(Schema.NullOr(Schema.Struct({ cached_tokens: count }))),
  completion_tokens_details: Schema.optionalKey(Schema.NullOr(Schema.Struct({ reasoning_tokens: count })))
})

/** A chunk of a streamed completion, or a whole completion, as far as it is read. */
export const Chunk = Schema.Struct({
  choices: Schema.optionalKey(
    Schema.NullOr(
      Schema.Array(
        Schema.Struct({
          index: Schema.optionalKey(Schema.NullOr(Schema.Finite)),
          delta: Schema.optionalKey(Schema.NullOr(Message)),
          message: Schema.optionalKey(Schema.NullOr(Message)),
          finish_reason: text
        })
      )
    )
  ),
  usage: Schema.optionalKey(Schema.Json),
  error: Schema.optionalKey(Schema.Json)
})
export type Chunk = typeof Chunk.Type
export type ChunkUsage = typeof ChunkUsage.Type

/** The tokens that a chunk tells of; none where it tells them in a way of its own. */
export const decodeUsage = Schema.decodeUnknownOption(ChunkUsage)

const decodeJson = Schema.decodeUnknownResult(Schema.fromJsonString(Chunk))

/** How much of what a server sent is quoted in an error. */
const quoted = (text: string): string => (text.length <= 200 ? text : `${text.slice(0, 200)}…`)

/** A chunk from the data of an event. */
export const decode = (json: string): Result.Result<Chunk, ModelError> =>
  Result.mapError(
    decodeJson(json),
    () =>
      new ModelError({
        reason: "bad_response",
        message: `the model server sent no chunk: ${quoted(json)}`,
        retryable: true
      })
  )

/** The text of a content, which may be a string, an array of parts, or nothing. */
export const contentText = (content: Schema.Json | undefined): string => {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return ""
  return content
    .map((part) =>
      typeof part === "object" && part !== null && "text" in part && typeof part.text === "string" ? part.text : ""
    )
    .join("")
}
