import { ModelError } from "./ModelError.ts"

/** How much is told of a page that stands where an answer should. */
const maxShown = 200

/** What of it may be told: the page of another server, which says which it is, but nothing that may be of an answer. */
const beginning = (chunk: string): string =>
  chunk.trimStart().startsWith("<")
    ? chunk.trimStart().slice(0, maxShown)
    : `${chunk.length} characters of another shape`

/** The error of a chunk that cannot be read. It may be a piece of what the model says, which no error quotes. */
export const make = (what: string, chunk: string): ModelError =>
  new ModelError({
    reason: "bad_response",
    message: `the model server sent no ${what}, but ${beginning(chunk)}`,
    retryable: true
  })
