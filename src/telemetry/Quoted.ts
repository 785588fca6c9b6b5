import * as AsRead from "./AsRead.ts"

/** The shortest run of characters that counts as a quotation; shorter texts are hidden where they stand whole. */
const quotation = 12
/** The shortest text that is hidden at all: a shorter one says nothing, and stands in any sentence. */
const shortest = 6

/** What stands where a quotation stood. */
export const mark = "[…]"

/** A rolling sum of as many characters as a quotation has: what differs in it differs. */
const factor = 0x01000193
const oldest = Array.from({ length: quotation }).reduce((power: number) => Math.imul(power, factor), 1)

const rolled = (sum: number, text: string, at: number): number =>
  (Math.imul(sum, factor) +
    text.charCodeAt(at) -
    (at < quotation ? 0 : Math.imul(text.charCodeAt(at - quotation), oldest))) |
  0

/** Visits each run of a quotation's length in a text, with its sum and where it begins, as long as it is told to go on. */
const runs = (text: string, visit: (sum: number, at: number) => boolean): void => {
  let sum = 0
  for (let at = 0; at < text.length; at++) {
    sum = rolled(sum, text, at)
    if (at >= quotation - 1 && !visit(sum, at - quotation + 1)) return
  }
}

const run = (text: string, at: number): string => text.slice(at, at + quotation)

/** Which characters of a line are quoted: each run of it is looked for once, and let go of when it is found. */
const quoted = (line: string, texts: ReadonlyArray<string>): Uint8Array => {
  const isQuoted = new Uint8Array(line.length)
  const unseen = new Map<number, Map<string, Array<number>>>()
  runs(line, (sum, at) => {
    const known = unseen.get(sum) ?? new Map<string, Array<number>>()
    const piece = run(line, at)
    const places = known.get(piece) ?? []
    places.push(at)
    unseen.set(sum, known.set(piece, places))
    return true
  })
  for (const text of texts) {
    if (text.length < quotation) {
      for (let at = line.indexOf(text); at !== -1; at = line.indexOf(text, at + 1)) {
        isQuoted.fill(1, at, at + text.length)
      }
      continue
    }
    runs(text, (sum, at) => {
      const known = unseen.get(sum)
      const piece = known === undefined ? "" : run(text, at)
      for (const place of known?.get(piece) ?? []) isQuoted.fill(1, place, place + quotation)
      if (known?.delete(piece) === true && known.size === 0) unseen.delete(sum)
      return unseen.size > 0
    })
  }
  return isQuoted
}

/**
 * A line without what it quotes of some texts: what a provider, a driver or a tool says of an error may echo what it was given.
 *
 * 1. No twelve characters in a row are those of a text, and no whole text of six to eleven is left, {@link AsRead as they are
 *    read}: it does not help that a quotation is escaped, or that its lines are joined.
 * 2. All else stays as it is.
 * 3. It takes time with the length of the line and of the texts together, whatever they repeat: a user chooses both.
 */
export const hide = (line: string, texts: Iterable<string>): string => {
  const { from, text, to } = AsRead.line(line)
  const read = new Set([...texts].map((text) => AsRead.text(text).trim()).filter(({ length }) => length >= shortest))
  const isQuoted = quoted(text, [...read])
  let hidden = ""
  let at = 0
  for (let index = isQuoted.indexOf(1); index !== -1; ) {
    const end = isQuoted.indexOf(0, index)
    const last = end === -1 ? text.length : end
    hidden += line.slice(at, from[index]) + mark
    at = to[last - 1] ?? line.length
    index = end === -1 ? -1 : isQuoted.indexOf(1, end)
  }
  return hidden + line.slice(at)
}
