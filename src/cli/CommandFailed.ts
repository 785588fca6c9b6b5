import { Schema } from "effect"
import type { SessionError } from "../client/AgentError.ts"
import { ChatStopped } from "./ExitCode.ts"
import { onOneLine } from "../client/Printable.ts"

/** A command cannot do what it is told to. The message is one line that says what would be right. */
export class CommandFailed extends Schema.TaggedError<CommandFailed>()("CommandFailed", { message: Schema.String }) {}

/** What went wrong with a request, on one line, and what to do where that can be known. */
export const explain = (error: SessionError): string => {
  const told = onOneLine(error.message)
  switch (error._tag) {
    case "ConnectionFailed":
      return error.stage === "answer"
        ? told
        : `${told}; give the address at which an agent server's endpoints stand, such as http://127.0.0.1:3010`
    case "InvalidAnswer":
      return `${told}; is this the address of an agent server, such as http://127.0.0.1:3010?`
    case "RequestRefused":
      if (error.status === 401) return `the server wants a key that it knows (${told}); put one in AAP_KEY`
      // Where another kind of server stands, or none, nothing is found, allowed, or still there.
      if (error.code.startsWith("http_") && error.status < 429) {
        return `${told}; is this the address of an agent server, such as http://127.0.0.1:3010?`
      }
      return told
    case "InvalidRequest":
    case "SessionBusy":
    case "TooManyTurns":
    case "TurnUnfinished":
      return told
  }
}

/** The same as an error of the command; one that is that already stays. */
export const fromSessionError = (error: SessionError | CommandFailed): CommandFailed =>
  error._tag === "CommandFailed" ? error : new CommandFailed({ message: explain(error) })

/** Somebody left a question that the command cannot do without, by a key that interrupts. */
export const givenUp = () => new ChatStopped({ code: 130 })
