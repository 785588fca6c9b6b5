import { Cause, Formatter, Logger, References } from "effect"
import * as UnseenSpans from "./UnseenSpans.ts"

/**
 * A log line as one object of JSON: `timestamp`, `level`, `message`, the annotations (`requestId`, `turnId`, `sessionId`) beside
 * them, `traceId` and `spanId` where there is a span, and `error`, with its stack, where something failed.
 *
 * 1. An annotation of the name of another field does not stand in for it.
 * 2. Whatever an annotation is, there is a line.
 */
export const format: Logger.Logger<unknown, string> = Logger.make(({ cause, date, fiber, logLevel, message }) => {
  const span = fiber.cache.span
  const line = {
    timestamp: date.toISOString(),
    level: logLevel.toUpperCase(),
    message: (Array.isArray(message) ? message : [message]).map(String).join(" ")
  }
  return Formatter.formatJson({
    ...line,
    ...fiber.getRef(References.CurrentLogAnnotations),
    ...line,
    ...(span === undefined || UnseenSpans.isNameless(span) ? {} : { traceId: span.traceId, spanId: span.spanId }),
    ...(cause.reasons.length === 0 ? {} : { error: Cause.pretty(cause) })
  })
})

/** Writes log lines as JSON to the standard error. */
export const logger: Logger.Logger<unknown, void> = Logger.withConsoleError(format)
