import type { Schema } from "effect"
import type { ContentBlock } from "../protocol/Content.ts"
import type { ApplicationMessage, HistoryMessage } from "../protocol/Message.ts"

/** The texts that stand in an input, each by itself: an error may quote one of them alone. */
const ofJson = (json: Schema.Json): ReadonlyArray<string> => {
  if (typeof json === "string") return [json]
  return typeof json === "object" && json !== null ? Object.values(json).flatMap(ofJson) : []
}

const ofBlock = (block: ContentBlock): ReadonlyArray<string> => {
  switch (block.type) {
    case "text":
      return [block.text]
    case "thinking":
      return [block.thinking]
    case "tool_use":
      return [JSON.stringify(block.input), ...ofJson(block.input)]
    case "image":
      return []
  }
}

/** All that a message says, or tells a tool. Names and ids are none of it. */
export const ofMessage = (message: HistoryMessage | ApplicationMessage): ReadonlyArray<string> => {
  if (message.role === "tool_permission") return message.reason === undefined ? [] : [message.reason]
  return typeof message.content === "string" ? [message.content] : message.content.flatMap(ofBlock)
}
