import { Schema } from "effect"

/**
 * The server refused a request, and changed nothing. `code` is made for programs: the protocol's own where the answer has
 * one, else `http_` and the status. `retryAfterMillis` is how long the server asks to wait.
 */
export class RequestRefused extends Schema.TaggedError<RequestRefused>()("RequestRefused", {
  status: Schema.Int,
  code: Schema.String,
  message: Schema.String,
  details: Schema.optionalKey(Schema.Json),
  retryAfterMillis: Schema.optionalKey(Schema.Finite)
}) {}

/** The server could not be reached, or the connection broke before the answer was whole. */
export class ConnectionFailed extends Schema.TaggedError<ConnectionFailed>()("ConnectionFailed", {
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

/** Why a request to an agent server came to nothing. */
export type AgentError = RequestRefused | ConnectionFailed | TurnUnfinished | InvalidAnswer
