import type { HistoryMessage } from "../protocol/Message.ts"
import type { StopReason } from "../protocol/Turn.ts"
import type { TurnEvent } from "../protocol/TurnEvent.ts"

const block = (type: "text" | "thinking", content: string): ReadonlyArray<TurnEvent> =>
  type === "text"
    ? [
        { event: "text_delta", data: { delta: content } },
        { event: "text", data: { text: content } }
      ]
    : [
        { event: "thinking_delta", data: { delta: content } },
        { event: "thinking", data: { thinking: content } }
      ]

const message = (message: HistoryMessage): ReadonlyArray<TurnEvent> => {
  if (message.role === "tool") {
    return [{ event: "tool_result", data: { toolCallId: message.toolCallId, content: message.content } }]
  }
  if (message.role !== "assistant") return []
  if (typeof message.content === "string") return block("text", message.content)
  return message.content.flatMap((content): ReadonlyArray<TurnEvent> => {
    switch (content.type) {
      case "text":
        return block("text", content.text)
      case "thinking":
        return block("thinking", content.thinking)
      case "tool_use": {
        const { type: _, ...call } = content
        return [{ event: "tool_call", data: call }]
      }
      default:
        return []
    }
  })
}

/**
 * The events that tell a turn again, from what it left in the history; its `turn_start` aside. Folded, they give the same
 * messages.
 */
export const events = (messages: ReadonlyArray<HistoryMessage>, stopReason: StopReason): ReadonlyArray<TurnEvent> => [
  ...messages.flatMap(message),
  { event: "turn_stop", data: { stopReason } }
]
