import { Runtime, Schema } from "effect"
import type { AgentError } from "../client/AgentError.ts"
import type { TooManyRounds } from "../client/ClientSession.ts"
import type { StopReason } from "../protocol/Turn.ts"
import { onOneLine } from "./Printable.ts"

/** A chat cannot begin, or go on. The message is one line that says what would be right. */
export class ChatFailed extends Schema.TaggedError<ChatFailed>()("ChatFailed", { message: Schema.String }) {}

/** A chat has ended in another way than `end_turn`; `code` is what the process exits with. */
export class ChatStopped extends Schema.TaggedError<ChatStopped>()("ChatStopped", { code: Schema.Int }) {
  override get [Runtime.errorExitCode](): number {
    return this.code
  }
}

/** What the process exits with when its turn was interrupted, as shells have it for SIGINT. */
export const interruptedCode = 130

/** What the process exits with when its last turn stopped for this reason; 1 is for what failed before that. */
export const exitCode = (reason: StopReason): number => {
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

/** What went wrong with a request, on one line, and what to do where that can be known. */
export const explain = (error: AgentError | TooManyRounds): string => {
  const told = onOneLine(error.message)
  switch (error._tag) {
    case "ConnectionFailed":
      return `${told}; give the address at which an agent server's endpoints stand, such as http://127.0.0.1:3010`
    case "InvalidAnswer":
      return `${told}; is this the address of an agent server, such as http://127.0.0.1:3010?`
    case "RequestRefused":
      if (error.status === 401) return `the server takes no such key (${told}); put one that it knows in AAP_KEY`
      if (error.code.startsWith("http_")) {
        return `${told}; is this the address of an agent server, such as http://127.0.0.1:3010?`
      }
      return told
    case "TurnUnfinished":
    case "TooManyRounds":
      return told
  }
}

/** The same as an error of the chat. */
export const toChatFailed = (error: AgentError | TooManyRounds): ChatFailed =>
  new ChatFailed({ message: explain(error) })
