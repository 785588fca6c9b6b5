import { Runtime, Schema } from "effect"
import type { StopReason } from "../protocol/Turn.ts"

/** A chat has ended in another way than `end_turn`; `code` is what the process exits with. */
export class ChatStopped extends Schema.TaggedError<ChatStopped>()("ChatStopped", { code: Schema.Int }) {
  override get [Runtime.errorExitCode](): number {
    return this.code
  }
}

/** What the process exits with when its turn was interrupted, as shells have it for SIGINT. */
export const interrupted = 130

/** What the process exits with when its last turn stopped for this reason; 1 is for what failed before that. */
export const ofStop = (reason: StopReason): number => {
  switch (reason) {
    case "end_turn":
      return 0
    case "tool_use":
      return 2
    case "max_tokens":
      return 3
    case "refusal":
      return 4
    case "error":
      return 5
  }
}
