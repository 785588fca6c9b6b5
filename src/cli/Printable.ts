/** What a terminal acts on, or what makes text read other than it is: control characters, and overrides of its direction. */
const unsafe = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu

const hex = (character: string, digits: number): string =>
  (character.codePointAt(0) ?? 0).toString(16).padStart(digits, "0")

const shown = (character: string): string => {
  if (character === "\n" || character === "\t") return character
  if (character === "\r") return ""
  return character < "\u0100" ? `\\x${hex(character, 2)}` : `\\u${hex(character, 4)}`
}

/**
 * A text from elsewhere as a terminal may be given it.
 *
 * 1. Of control characters it has newlines and tabs alone: carriage returns are left out, others are spelled, such as `\x1b`.
 * 2. A text without any stays as it is.
 */
export const printable = (text: string): string => text.replace(unsafe, shown)

/** The same on one line. */
export const onOneLine = (text: string): string => printable(text.replace(/\s+/g, " ").trim())

/** The beginning of a text, and how much more there is. `limit` is in characters. */
export const cut = (text: string, limit: number): string => {
  if (text.length <= limit) return text
  const begin = text.slice(0, limit).replace(/[\ud800-\udbff]$/, "")
  return `${begin}… (${text.length - begin.length} more characters)`
}

/** A value as one line of JSON, in which control characters are escaped. */
export const jsonLine = (value: unknown): string =>
  JSON.stringify(value).replace(unsafe, (character) => `\\u${hex(character, 4)}`)
