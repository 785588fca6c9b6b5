const slashes = String.raw`(?:\\|%5c)+`
const blank = String.raw`${slashes}(?:[nrtbf]|u00[01][\da-f]|(?=[\s\p{Cc}]|%[01]|%20))|[\s\p{Cc}]|%[01][\da-f]|%20`
/** Most blanks stand alone, and read as they are. */
const alone = String.raw` [^\s\p{Cc}\\%]`
const numbered = String.raw`${slashes}u([\da-f]{4})`
const escaped = String.raw`${slashes}([^\s\p{Cc}%\\])`
const bytes = String.raw`(?:%(?!5c|[01]|20)[\da-f]{2})+`

/** Blanks in a row, escaped or not; a character by its number; any other that is escaped; bytes of a URL. */
const escapes = new RegExp(`(?!${alone})((?:${blank})+)|${numbered}|${escaped}|(${bytes})|${slashes}`, "giu")

const meant = (blanks?: string, number?: string, escaped?: string, bytes?: string): string => {
  if (blanks !== undefined) return " "
  if (number !== undefined) return String.fromCharCode(Number.parseInt(number, 16))
  return bytes === undefined ? (escaped ?? "") : (new URLSearchParams(`text=${bytes}`).get("text") ?? bytes)
}

/** A line as it reads, and where each of its characters is written: from, and to before. */
export interface Line {
  readonly text: string
  readonly from: ReadonlyArray<number>
  readonly to: ReadonlyArray<number>
}

/**
 * What a line reads as, character by character: escapes of JSON and of URLs are what they stand for, however deep they are
 * quoted, and blanks in a row are one. A text and its quotation read the same, though one has line breaks and the other `\n`.
 */
export const line = (written: string): Line => {
  const from: Array<number> = []
  const to: Array<number> = []
  let text = ""
  let at = 0
  const plain = (until: number) => {
    text += written.slice(at, until)
    for (; at < until; at++) {
      from.push(at)
      to.push(at + 1)
    }
  }
  for (const match of written.matchAll(escapes)) {
    const { index } = match
    const [piece, ...groups] = match
    plain(index)
    const said = meant(...groups)
    text += said
    at += piece.length
    for (let more = 0; more < said.length; more++) {
      from.push(index)
      to.push(at)
    }
  }
  plain(written.length)
  return { text, from, to }
}

/** What a text reads as, where it does not matter where. */
export const text = (written: string): string =>
  written.replaceAll(escapes, (_, blanks?: string, number?: string, escaped?: string, bytes?: string) =>
    meant(blanks, number, escaped, bytes)
  )
