import type { HistoryEntry } from "../history/HistoryEntry.ts"
import type { ContentBlock } from "../protocol/Content.ts"
import type { ModelEvent } from "./ChatModel.ts"

/** How many characters of a text are shown, and how many of the latest messages. */
const longest = 2000
const latest = 20

/** What a text is shown as: without secrets. */
export type Hide = (text: string) => string

const cut = (text: string): string => (text.length <= longest ? text : `${text.slice(0, longest).toWellFormed()}…`)

const toPart = (hide: Hide) => (block: ContentBlock) => {
  switch (block.type) {
    case "text":
      return { type: "text", content: cut(hide(block.text)) }
    case "thinking":
      return { type: "reasoning", content: cut(hide(block.thinking)) }
    case "tool_use":
      return {
        type: "tool_call",
        id: block.toolCallId,
        name: block.name,
        arguments: cut(hide(JSON.stringify(block.input)))
      }
    case "image":
      return { type: "image" }
  }
}

const toParts = (content: string | ReadonlyArray<ContentBlock>, hide: Hide) =>
  typeof content === "string" ? [{ type: "text", content: cut(hide(content)) }] : content.map(toPart(hide))

/** What a model is asked, as `gen_ai.input.messages`: the latest messages, long texts cut, no image and no instructions. */
export const input = (history: ReadonlyArray<HistoryEntry>, hide: Hide): string =>
  JSON.stringify(
    history.slice(-latest).map(({ message }) => ({
      role: message.role,
      parts:
        message.role === "tool"
          ? [{ type: "tool_call_response", id: message.toolCallId, response: toParts(message.content, hide) }]
          : toParts(message.content, hide)
    }))
  )

/** What a model said, as `gen_ai.output.messages`, with the reason that it stopped for. */
export const output = (events: ReadonlyArray<ModelEvent>, finishReason: string, hide: Hide): string => {
  const text = events.flatMap((event) => (event.type === "text_delta" ? [event.delta] : [])).join("")
  const thinking = events.flatMap((event) => (event.type === "thinking_delta" ? [event.delta] : [])).join("")
  const calls = events.flatMap((event) =>
    event.type === "tool_call" ? [{ type: "tool_call", name: event.name, arguments: cut(hide(event.arguments)) }] : []
  )
  const parts = [
    ...(thinking === "" ? [] : [{ type: "reasoning", content: cut(hide(thinking)) }]),
    ...(text === "" ? [] : [{ type: "text", content: cut(hide(text)) }]),
    ...calls
  ]
  return JSON.stringify([{ role: "assistant", parts, finish_reason: finishReason }])
}
