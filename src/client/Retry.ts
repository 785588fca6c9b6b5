import { Effect, Schedule } from "effect"
import type { AgentError, RequestRefused } from "./AgentError.ts"

/** How often a request is sent again, at most. */
const retries = 2

/** The longest wait that a server may ask for, in milliseconds. */
const longestWait = 30_000

/** Whether a refusal is for the moment: the server says so, or says how long, as where a turn is still running. */
const isTransient = ({ retryAfterMillis, status }: RequestRefused): boolean =>
  status === 429 || status === 503 || (status === 409 && retryAfterMillis !== undefined)

/** Whether a request may do better when it is sent again, given whether that does no harm. */
const mayPass = (error: AgentError, isSafe: boolean): boolean => {
  switch (error._tag) {
    case "RequestRefused":
      return isTransient(error) && (error.retryAfterMillis ?? 0) <= longestWait
    case "ConnectionFailed":
      return isSafe
    case "TurnUnfinished":
    case "InvalidAnswer":
    case "InvalidRequest":
      return false
  }
}

/** As long as the server asks to wait, else half a second, and twice as long each further time. */
const schedule = Schedule.exponential("500 millis").pipe(
  Schedule.setInputType<AgentError>(),
  Schedule.modifyDelay(({ duration, input }) =>
    Effect.succeed((input._tag === "RequestRefused" ? input.retryAfterMillis : undefined) ?? duration)
  )
)

/**
 * Sends a request again that came to nothing in passing: refused for the moment, or, where sending it twice does no harm,
 * cut off.
 */
export const transient = <A>(request: Effect.Effect<A, AgentError>, isSafe: boolean): Effect.Effect<A, AgentError> =>
  Effect.retry(request, { times: retries, while: (error) => mayPass(error, isSafe), schedule })
