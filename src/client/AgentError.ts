import { Schema } from "effect"

/**
 * The server refused a request. A refusal with a status of 4xx changed nothing. `code` is made for programs: the protocol's
 * own where the answer has one, else `http_` and the status. `retryAfterMillis` is how long the server asks to wait.
 */
export class RequestRefused extends Schema.TaggedError<RequestRefused>()("RequestRefused", {
  status: Schema.Int,
  code: Schema.String,
  message: Schema.String,
  details: Schema.optionalKey(Schema.Json),
  retryAfterMillis: Schema.optionalKey(Schema.Finite)
}) {}

/** Where a connection failed: before the server answered, or before its answer was whole. */
export const ConnectionStage = Schema.Literals(["request", "answer"])
export type ConnectionStage = typeof ConnectionStage.Type

/** The server could not be reached, or the connection broke before the answer was whole. */
export class ConnectionFailed extends Schema.TaggedError<ConnectionFailed>()("ConnectionFailed", {
  stage: ConnectionStage,
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/** A turn's answer came to an end, unbroken, without its `turn_stop`. */
export class TurnUnfinished extends Schema.TaggedError<TurnUnfinished>()("TurnUnfinished", {}) {
  override get message() {
    return "the answer ended before the turn_stop of its turn"
  }
}

/** The server answered what the protocol does not have. */
export class InvalidAnswer extends Schema.TaggedError<InvalidAnswer>()("InvalidAnswer", {
  message: Schema.String
}) {}

/** The application asked for what the protocol does not have; nothing was sent. */
export class InvalidRequest extends Schema.TaggedError<InvalidRequest>()("InvalidRequest", {
  message: Schema.String
}) {}

/** Why a request to an agent server came to nothing. */
export type AgentError = RequestRefused | ConnectionFailed | TurnUnfinished | InvalidAnswer | InvalidRequest

/** The agent went on calling tools for as many turns as it may take; its last calls are open, and were not run. */
export class TooManyTurns extends Schema.TaggedError<TooManyTurns>()("TooManyTurns", { limit: Schema.Int }) {
  override get message() {
    return `the agent called tools in ${this.limit} turns one after the other; say something to go on`
  }
}

/** A stream of the session runs already. */
export class SessionBusy extends Schema.TaggedError<SessionBusy>()("SessionBusy", {}) {
  override get message() {
    return "the session runs one stream at a time; end the one that runs, or wait for its end"
  }
}

/** Why what a session was to do came to nothing, or to no end. */
export type SessionError = AgentError | TooManyTurns | SessionBusy
