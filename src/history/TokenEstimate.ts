import type { ContentBlock } from "../protocol/Content.ts"
import type { HistoryMessage } from "../protocol/Message.ts"

/** Tokens of an image, whatever its size: about what providers take for one of a megapixel. */
const imageTokens = 1500

/** Tokens that a message takes besides what it says. */
const messageTokens = 4

/** The length of a text in UTF-8. */
const byteLength = (text: string): number => {
  let bytes = text.length
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code >= 0x80) bytes += code >= 0x800 && (code < 0xd800 || code > 0xdfff) ? 2 : 1
  }
  return bytes
}

/**
 * About how many tokens a text has: a quarter of its bytes in UTF-8. It is near for English and for Chinese, and low for
 * code and JSON.
 */
export const ofText = (text: string): number => Math.ceil(byteLength(text) / 4)

const ofBlock = (block: ContentBlock): number => {
  switch (block.type) {
    case "text":
      return ofText(block.text)
    case "thinking":
      return ofText(block.thinking)
    case "tool_use":
      return ofText(block.name) + ofText(JSON.stringify(block.input))
    case "image":
      return imageTokens
  }
}

/** About how many tokens a message has; what its provider gave to be kept is not counted. */
export const ofMessage = ({ content }: HistoryMessage): number =>
  typeof content === "string"
    ? messageTokens + ofText(content)
    : content.reduce((sum, block) => sum + ofBlock(block), messageTokens)
