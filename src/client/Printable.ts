/**
 * What a terminal acts on, or what makes text read other than it is: control characters, marks and overrides of its
 * direction, separators of lines, and what is not seen at all. Joiners and the two selectors of how an emoji looks stay:
 * scripts and emoji are written with them.
 */
const unsafe =
  /(?!\u200c|\u200d|\ufe0e|\ufe0f)[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u202a-\u202e\u2800]/gu

/** The same where every character counts: other blanks than the space too, and joiners. */
const unseen = /(?! )[\p{Cc}\p{Z}\p{Default_Ignorable_Code_Point}\u202a-\u202e\u2800\ufff9-\ufffb]/gu

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, "0")

/** As JavaScript and JSON escape it: one for each half of what is beyond the basic plane. */
const escaped = (character: string): string =>
  character
    .split("")
    .map((unit) => `\\u${hex(unit.charCodeAt(0), 4)}`)
    .join("")

const shown = (character: string): string => {
  if (character === "\n" || character === "\t") return character
  if (character === "\r") return ""
  return character < "\u0100" ? `\\x${hex(character.charCodeAt(0), 2)}` : escaped(character)
}

/**
 * A text from elsewhere as a terminal may be given it.
 *
 * 1. Of control characters it has newlines and tabs alone: carriage returns are left out, others are spelled, such as `\x1b`.
 * 2. A text without any stays as it is.
 */
export const printable = (text: string): string => text.replace(unsafe, shown)

/** A text of which the direction is its own: what embeds, overrides or isolates another one is spelled; marks stay. */
export const undirected = (text: string): string => text.replace(/[\u202a-\u202e\u2066-\u2069]/g, escaped)

/** The same on one line. */
export const onOneLine = (text: string): string => printable(text.replace(/\s+/g, " ").trim())

/** The beginning of a text, and how much more there is. `limit` is in characters. */
export const cut = (text: string, limit: number): string => {
  if (text.length <= limit) return text
  const begin = text.slice(0, limit).replace(/[\ud800-\udbff]$/, "")
  return `${begin}… (${text.length - begin.length} more characters)`
}

/** A value as one line of JSON, in which all that is not seen is escaped. */
export const jsonLine = (value: unknown): string => JSON.stringify(value).replace(unseen, escaped)

/** A value as indented JSON, in which the same is escaped. */
export const jsonBlock = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(unseen, (character) => (character === "\n" ? character : escaped(character)))
