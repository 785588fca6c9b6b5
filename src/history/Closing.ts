import type { ToolCall } from "../protocol/Tool.ts"
import { type HistoryEntry, make } from "./HistoryEntry.ts"

/** Why a call that was announced will never have a result of its own. The text is what the model, and people, read. */
export const reasons = {
  /** The turn ended before the call could run. */
  notRun: "Tool call not run: the turn ended first.",
  /** The tool was running when the turn was interrupted. */
  interrupted: "Tool call interrupted: the turn ended while the tool was running, so it may have taken effect.",
  /** The server died while the tool was running. */
  unknown: "Tool call outcome unknown: the server stopped while the tool was running, so it may have taken effect."
} as const

/** The entry that closes a call. */
export const close = (call: ToolCall, reason: keyof typeof reasons): HistoryEntry =>
  make({ role: "tool", toolCallId: call.toolCallId, content: reasons[reason] })
