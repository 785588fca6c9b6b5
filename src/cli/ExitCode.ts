import { Cause, Exit, MutableRef, Runtime, Schema } from "effect"
import type { StopReason } from "../protocol/Turn.ts"

/** A chat has ended in another way than `end_turn`; `code` is what the process exits with. */
export class ChatStopped extends Schema.TaggedError<ChatStopped>()("ChatStopped", { code: Schema.Int }) {
  override get [Runtime.errorExitCode](): number {
    return this.code
  }
}

/** A server that was checked breaks a rule: the process exits with 6. */
export class RulesBroken extends Schema.TaggedError<RulesBroken>()("RulesBroken", {}) {
  override readonly [Runtime.errorExitCode] = 6
}

/**
 * What the process exits with when it is interrupted: 130, as shells have it for SIGINT, and 0 for a server, which ends its
 * work so. The runtime's own end asks for it, where no Effect runs any more.
 */
export const onInterrupt = MutableRef.make(130)

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

const ofExit = (exit: Exit.Exit<unknown, unknown>): number => {
  if (Exit.isSuccess(exit)) return 0
  return Cause.hasInterruptsOnly(exit.cause)
    ? MutableRef.get(onInterrupt)
    : Runtime.getErrorExitCode(Cause.squash(exit.cause))
}

/** Ends the process once all is written, whatever a command that it ran has left open. */
export const end = (exit: Exit.Exit<unknown, unknown>): void => {
  const code = ofExit(exit)
  process.stderr.write("", () => process.stdout.write("", () => process.exit(code)))
}
