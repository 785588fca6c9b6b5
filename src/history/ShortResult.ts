import type { InputContent } from "../protocol/Content.ts"
import type { HistoryEntry } from "./HistoryEntry.ts"

/** How many characters of a long text stay, at its beginning and at its end. */
const head = 1500
const tail = 500

/** A text with its middle left out, where it is long; what is cut is said. */
export const ofText = (text: string): string => {
  const left = text.length - head - tail
  if (left <= 0) return text
  const note = `\n[… ${left} characters left out …]\n`
  return left <= note.length ? text : `${text.slice(0, head)}${note}${text.slice(-tail)}`.toWellFormed()
}

const ofContent = (content: InputContent): InputContent => {
  if (typeof content === "string") return ofText(content)
  return content.map((block) =>
    block.type === "text" ? { ...block, text: ofText(block.text) } : { type: "text", text: "[an image, left out]" }
  )
}

/** An entry whose tool result, if it is one, is shortened, and shows no images. */
export const ofEntry = (entry: HistoryEntry): HistoryEntry =>
  entry.message.role === "tool"
    ? { ...entry, message: { ...entry.message, content: ofContent(entry.message.content) } }
    : entry
