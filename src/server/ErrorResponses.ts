import { Cause, Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import type { SetupRejected } from "../agent/SetupRejected.ts"
import { ErrorBody } from "../protocol/ErrorBody.ts"
import type { TooManySessions } from "../session/Limits.ts"
import type { TooManyRequests } from "../session/RequestLimit.ts"
import type { CursorNotFound, InvalidCursor, SessionNotFound, StoreError } from "../session/SessionStore.ts"
import * as Errors from "../turn/Errors.ts"
import type { InvalidHistory } from "../turn/NewSession.ts"
import type { TurnRejected } from "../turn/TurnRunner.ts"
import type * as RequestErrors from "./RequestErrors.ts"

/** Every failure that an endpoint can answer with. */
export type ApiFailure =
  | TurnRejected
  | SessionNotFound
  | CursorNotFound
  | InvalidCursor
  | InvalidHistory
  | SetupRejected
  | StoreError
  | TooManyRequests
  | TooManySessions
  | RequestErrors.HistoryNotSupported
  | RequestErrors.InvalidJson
  | RequestErrors.InvalidRequest
  | RequestErrors.MethodNotAllowed
  | RequestErrors.OriginNotAllowed
  | RequestErrors.PayloadTooLarge
  | RequestErrors.ShuttingDown
  | RequestErrors.Unauthorized
  | RequestErrors.UnknownRoute
  | RequestErrors.UnsupportedMediaType

interface Answer {
  readonly status: number
  readonly code: string
  readonly details?: Schema.Json
  readonly headers?: Readonly<Record<string, string>>
}

const at = ({ message, path }: { readonly path: string; readonly message: string }) => [{ path, message }]

/** The one table from failures to statuses and codes. */
const answer = (failure: ApiFailure): Answer => {
  switch (failure._tag) {
    case "InvalidJson":
      return { status: 400, code: "invalid_json" }
    case "InvalidRequest":
      return {
        status: 400,
        code: "invalid_request",
        details: failure.details.map(({ message, path }) => ({ path, message }))
      }
    case "InvalidCursor":
      return { status: 400, code: "invalid_cursor" }
    case "Unauthorized":
      return { status: 401, code: "unauthorized", headers: { "www-authenticate": "Bearer" } }
    case "OriginNotAllowed":
      return { status: 403, code: "origin_not_allowed" }
    case "SessionNotFound":
      return { status: 404, code: "session_not_found" }
    case "CursorNotFound":
      return { status: 404, code: "cursor_not_found" }
    case "HistoryNotSupported":
      return { status: 404, code: "history_not_supported" }
    case "UnknownRoute":
      return { status: 404, code: "not_found" }
    case "MethodNotAllowed":
      return { status: 405, code: "method_not_allowed", headers: { allow: failure.allow.join(", ") } }
    case "TurnInProgress":
      return { status: 409, code: "turn_in_progress", headers: { "retry-after": "1" } }
    case "RequestRepeated":
      return { status: 409, code: "idempotency_key_reused" }
    case "PendingToolCalls":
      return { status: 409, code: "pending_tool_calls", details: { toolCallIds: failure.ids } }
    case "PayloadTooLarge":
      return { status: 413, code: "payload_too_large", headers: { connection: "close" } }
    case "UnsupportedMediaType":
      return { status: 415, code: "unsupported_media_type" }
    case "AgentGone":
      return { status: 422, code: "unknown_agent" }
    case "SetupRejected":
      return { status: 422, code: failure.code, details: at(failure) }
    case "InvalidHistory":
      return { status: 422, code: "invalid_history", details: at(failure) }
    case "InvalidMessage":
      return { status: 422, code: failure.code, details: at(failure) }
    case "TooManyRequests":
      return { status: 429, code: "too_many_requests", headers: { "retry-after": String(failure.retryAfter) } }
    case "TooManyTurns":
      return { status: 429, code: "too_many_turns", headers: { "retry-after": "1" } }
    case "TooManySessions":
      return { status: 429, code: "too_many_sessions", headers: { "retry-after": "60" } }
    case "StoreError":
      return { status: 503, code: "store_unavailable", headers: { "retry-after": "1" } }
    case "ShuttingDown":
      return { status: 503, code: "shutting_down", headers: { "retry-after": "1" } }
  }
}

const encode = Schema.encodeSync(ErrorBody)

const respond = ({ code, details, headers = {}, status }: Answer, message: string) =>
  HttpServerResponse.jsonUnsafe(encode({ error: { code, message, ...(details === undefined ? {} : { details }) } }), {
    status,
    headers
  })

/** What a client is told of a database that failed; the rest is for the log. */
const storeUnavailable = "the session store is not available for the moment; try again"

/** The answer that tells a failure. */
export const toResponse = (failure: ApiFailure): HttpServerResponse.HttpServerResponse =>
  respond(answer(failure), failure._tag === "StoreError" ? storeUnavailable : failure.message)

/** An effect whose failures are answers. A store that failed is for the log too. */
export const answered = <A, R>(effect: Effect.Effect<A, ApiFailure, R>) =>
  Effect.catch(effect, (failure) =>
    (failure._tag === "StoreError"
      ? Effect.andThen(
          Errors.count("store_unavailable"),
          Effect.logError("the session store failed", Cause.fail(failure))
        )
      : Effect.void
    ).pipe(Effect.as(toResponse(failure)))
  )

/** The answer to what nobody foresaw. It tells nothing; the cause is for the log. */
export const unexpected: HttpServerResponse.HttpServerResponse = respond(
  { status: 500, code: "internal" },
  "the server failed unexpectedly; its log says why"
)
