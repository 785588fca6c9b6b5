import { Result } from "effect"
import type { ModelError } from "./ModelError.ts"
import type { ChunkDecoder } from "./ModelProvider.ts"

/** How a provider's chunks are decoded, and what those are that say a piece of text. */
export interface TextChunks<Chunk> {
  readonly decode: ChunkDecoder<Chunk>
  /** The text of a chunk that says a piece of it; `undefined` for any other chunk. */
  readonly textOf: (chunk: Chunk) => string | undefined
  /** The same chunk with another text. */
  readonly withText: (chunk: Chunk, text: string) => Chunk
  /** What follows a text in its chunk's JSON, without what hides how long the text is. */
  readonly unpad: (rest: string) => string
}

/** A chunk's JSON around its text. */
interface Template<Chunk> {
  readonly chunk: Chunk
  readonly before: string
  readonly after: string
}

/**
 * A text of these is in JSON what it is outside of it, and is taken as a slice. A longer one is parsed by itself: a slice of it
 * would keep all that was read along with it, for as long as it is kept, where V8 copies short ones.
 */
const plain = /^[^"\\\p{Cc}]{0,12}$/u

/** The string that a literal is, or `undefined` where it is none. */
const parse = (literal: string): string | undefined => {
  try {
    return JSON.parse(literal) as string
  } catch {
    return undefined
  }
}

/** The same string, made anew. */
const copy = (text: string): string => parse(JSON.stringify(text)) ?? text

/** How many templates in a row may be made for nothing before an answer's chunks are known to have no common shape. */
const maxUseless = 3

const make = <Chunk>(chunks: TextChunks<Chunk>, json: string, chunk: Chunk): Template<Chunk> | undefined => {
  const text = chunks.textOf(chunk)
  if (text === undefined) return undefined
  const at = json.lastIndexOf(`"${text}"`) + 1
  if (at === 0) return undefined
  const before = json.slice(0, at)
  const after = chunks.unpad(json.slice(at + text.length))
  const other = `${text}.`
  const proof = chunks.decode(before + other + after)
  return Result.isSuccess(proof) && chunks.textOf(proof.success) === other
    ? { chunk, before: copy(before), after: copy(after) }
    : undefined
}

/**
 * The text that stands in the template's place; `undefined` where the JSON is not the template with another text. Slices are
 * compared as words of memory, where `startsWith` compares one character after the other.
 */
const read = ({ after, before }: Template<unknown>, json: string, unpad: (rest: string) => string) => {
  const start = before.length
  const end = json.indexOf('"', start)
  if (end < 0 || json.slice(0, start) !== before) return undefined
  const rest = json.slice(end)
  if (rest !== after && unpad(rest) !== after) return undefined
  const text = json.slice(start, end)
  return plain.test(text) ? text : parse(json.slice(start - 1, end + 1))
}

/**
 * Decodes the chunks of one answer. Nearly all of them are letter for letter the same but for a piece of text, and what is
 * the same is parsed once.
 *
 * 1. Every chunk is decoded to what `decode` decodes it to.
 * 2. A template is kept only once it has proven, with another text, that its place is where the text is read from. Whatever
 *    is a string of JSON can then stand there and change nothing else.
 * 3. An answer whose chunks have no common shape costs a few templates, not one for each chunk.
 */
export const decoder = <Chunk>(chunks: TextChunks<Chunk>): ChunkDecoder<Chunk> => {
  let template: Template<Chunk> | undefined
  let useless = 0

  const learn = (json: string, chunk: Chunk): void => {
    const made = make(chunks, json, chunk)
    if (made === undefined) return
    template = made
    useless++
  }

  return (json): Result.Result<Chunk, ModelError> => {
    const text = template === undefined ? undefined : read(template, json, chunks.unpad)
    if (template !== undefined && text !== undefined) {
      useless = 0
      return Result.succeed(chunks.withText(template.chunk, text))
    }
    const decoded = chunks.decode(json)
    if (Result.isSuccess(decoded) && useless < maxUseless) learn(json, decoded.success)
    return decoded
  }
}
