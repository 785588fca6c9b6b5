import { Cause, Option, type Schema } from "effect"
import type { SessionError } from "../../client/AgentError.ts"

/** What went wrong, as the page tells it. `code` and `status` are the server's own, where it was the server that refused. */
export interface Problem {
  readonly title: string
  readonly message: string
  readonly code?: string
  readonly status?: number
  readonly details?: Schema.Json
}

const titles = {
  RequestRefused: "The server refused",
  ConnectionFailed: "No connection",
  TurnUnfinished: "The answer broke off",
  InvalidAnswer: "The answer is none of the protocol's",
  InvalidRequest: "That cannot be asked for",
  SessionBusy: "The session is busy",
  TooManyTurns: "The agent goes on and on"
} as const

/** An error of the client as the page tells it. */
export const fromError = (error: SessionError): Problem => {
  const { _tag, message } = error
  const told = { title: titles[_tag], message }
  if (_tag !== "RequestRefused") return told
  const { code, details, status } = error
  return { ...told, code, status, ...(details === undefined ? {} : { details }) }
}

/** What nobody foresaw. */
const unexpected = (message: string): Problem => ({ title: "The playground failed", message })

/** Why an effect failed, as the page tells it. */
export const failureOf = (cause: Cause.Cause<SessionError>): Problem =>
  Option.match(Cause.findErrorOption(cause), {
    onNone: () => unexpected(Cause.pretty(cause)),
    onSome: fromError
  })
