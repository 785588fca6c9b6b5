import { Effect } from "effect"
import type { AgentError, RequestRefused } from "./AgentError.ts"

/** How often a request is sent, at most. */
const attempts = 3

/** The wait before the second request in milliseconds, where the server asks for none; it doubles with each further one. */
const firstWait = 500

/** The longest wait that a server may ask for. */
const longestWait = 30_000

/** Whether a refusal is for the moment: the server says so, or says how long, as where a turn is still running. */
const isPassing = ({ retryAfterMillis, status }: RequestRefused): boolean =>
  status === 429 || status === 503 || (status === 409 && retryAfterMillis !== undefined)

/** Whether a request may do better when it is sent again, given whether that does no harm. */
const mayPass = (error: AgentError, isSafe: boolean): boolean => {
  switch (error._tag) {
    case "RequestRefused":
      return isPassing(error) && (error.retryAfterMillis ?? 0) <= longestWait
    case "ConnectionFailed":
      return isSafe
    case "TurnUnfinished":
    case "InvalidAnswer":
      return false
  }
}

const wait = (error: AgentError, attempt: number): number =>
  (error._tag === "RequestRefused" ? error.retryAfterMillis : undefined) ?? firstWait * 2 ** (attempt - 1)

/**
 * Sends a request again that came to nothing in passing: refused for the moment, or, where sending it twice does no harm,
 * cut off.
 */
export const whilePassing = <A>(
  request: Effect.Effect<A, AgentError>,
  isSafe: boolean,
  attempt = 1
): Effect.Effect<A, AgentError> =>
  Effect.catchIf(
    request,
    (error) => attempt < attempts && mayPass(error, isSafe),
    (error) => Effect.andThen(Effect.sleep(wait(error, attempt)), whilePassing(request, isSafe, attempt + 1))
  )
