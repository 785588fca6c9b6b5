import { Result, Schema } from "effect"
import type { ModelError } from "./ModelError.ts"
import * as UnreadableChunk from "./UnreadableChunk.ts"

/** What JSON has been parsed to is JSON, however deep it goes. */
const json = Schema.declare((_: unknown): _ is Schema.Json => true)

const text = Schema.optionalKey(Schema.NullOr(Schema.String))

/** A part of a tool call. Servers leave out, repeat and mix up every field of it. */
export const ToolCallDelta = Schema.Struct({
  index: Schema.optionalKey(Schema.NullOr(Schema.Finite)),
  id: Schema.optionalKey(json),
  /** What Gemini's compatible endpoint wants back with the call. */
  extra_content: Schema.optionalKey(json),
  function: Schema.optionalKey(Schema.NullOr(Schema.Struct({ name: text, arguments: Schema.optionalKey(json) })))
})
export type ToolCallDelta = typeof ToolCallDelta.Type

/** A message of an answer, or a part of one. */
export const Message = Schema.Struct({
  content: Schema.optionalKey(json),
  reasoning_content: text,
  reasoning: Schema.optionalKey(json),
  reasoning_details: Schema.optionalKey(Schema.NullOr(Schema.Array(json))),
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
  usage: Schema.optionalKey(json),
  error: Schema.optionalKey(json)
})
export type Chunk = typeof Chunk.Type
export type ChunkUsage = typeof ChunkUsage.Type

/** The tokens that a chunk tells of; none where it tells them in a way of its own. */
export const decodeUsage = Schema.decodeUnknownOption(ChunkUsage)

const decodeParsed = Schema.decodeUnknownResult(Chunk)

const parse = (json: string): Result.Result<unknown, unknown> => Result.try(() => JSON.parse(json) as unknown)

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isOnly = (fields: Readonly<Record<string, unknown>>, names: ReadonlySet<string>): boolean => {
  for (const name in fields) if (!names.has(name) && fields[name] !== null) return false
  return true
}

const ofPlainChunk = new Set([
  "id",
  "object",
  "created",
  "model",
  "provider",
  "system_fingerprint",
  "service_tier",
  "obfuscation",
  "choices"
])
const ofPlainChoice = new Set(["index", "delta", "logprobs"])
const ofPlainDelta = new Set(["role", "content"])

/**
 * The text of a chunk that says a piece of text and nothing else, as nearly all chunks of an answer do. Such a one is known
 * by its few fields; any other, however small the difference, is left to the Schema.
 */
export const plainText = (chunk: unknown): string | undefined => {
  if (!isRecord(chunk) || !isOnly(chunk, ofPlainChunk)) return undefined
  const choices = chunk["choices"]
  if (!Array.isArray(choices) || choices.length !== 1) return undefined
  const choice: unknown = choices[0]
  if (!isRecord(choice) || choice["index"] !== 0 || !isOnly(choice, ofPlainChoice)) return undefined
  const delta = choice["delta"]
  if (!isRecord(delta) || !isOnly(delta, ofPlainDelta)) return undefined
  const content = delta["content"]
  return typeof content === "string" ? content : undefined
}

const done = /^\s*\[DONE\]\s*$/

/** Whether this data ends a stream of OpenAI's by itself. */
export const isLast = (data: string): boolean => done.test(data)

/** The field of noise by which OpenAI's own server hides how long the text is. */
const padding = /,"obfuscation":"[^"\\]*"\}$/

/** The end of a chunk's JSON without its padding. */
export const unpad = (rest: string): string => rest.replace(padding, "}")

const refused = (json: string) => UnreadableChunk.make("chunk of chat completions", json)

/** A chunk from the data of an event; its text alone where it says nothing else. */
export const decode = (json: string): Result.Result<Chunk | string, ModelError> => {
  const parsed = parse(json)
  if (Result.isFailure(parsed)) return Result.fail(refused(json))
  const text = plainText(parsed.success)
  return text === undefined ? Result.mapError(decodeParsed(parsed.success), () => refused(json)) : Result.succeed(text)
}

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
