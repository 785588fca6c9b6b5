import { Result } from "effect"
import type { Capabilities } from "../protocol/Agent.ts"
import type { ApplicationMessage, HistoryMessage } from "../protocol/Message.ts"
import type { StreamMode } from "../protocol/Turn.ts"
import { SetupRejected } from "./SetupRejected.ts"

/** Refuses a stream mode that the agent does not declare. */
export const streamMode = (capabilities: Capabilities, mode: StreamMode): Result.Result<void, SetupRejected> => {
  const declared = Object.keys(capabilities.stream ?? {})
  if (declared.includes(mode)) return Result.void
  const message = `this agent does not answer in mode ${mode}; it declares: ${declared.join(", ") || "none"}`
  return Result.fail(new SetupRejected({ code: "unsupported_stream_mode", path: "stream", message }))
}

/** Refuses images of a kind that the agent does not declare, wherever they stand in the messages. */
export const images = (
  capabilities: Capabilities,
  messages: ReadonlyArray<ApplicationMessage | HistoryMessage>
): Result.Result<void, SetupRejected> => {
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool_permission" || typeof message.content === "string") continue
    for (const [block, content] of message.content.entries()) {
      if (content.type !== "image") continue
      const kind = content.url.startsWith("data:") ? "data" : "http"
      if (capabilities.image?.[kind] !== undefined) continue
      const path = `messages[${index}].content[${block}].url`
      const message = `this agent takes no ${kind === "data" ? "data: URLs" : "https:// addresses"} of images`
      return Result.fail(new SetupRejected({ code: "unsupported_image", path, message }))
    }
  }
  return Result.void
}
