import { Cause, Clock, Effect, Exit, Option, Tracer } from "effect"
import * as UnseenSpans from "./UnseenSpans.ts"

/** What an effect that was given up is called where others have the type of their error. */
export const interrupted = "interrupted"

/**
 * Ends a span.
 *
 * 1. Of a failure it tells a type, as the attribute `error.type`, and never words: those of a driver or a provider may quote
 *    what a user said.
 * 2. Who was interrupted has failed at nothing.
 */
export const end = (span: Tracer.Span, errorType?: string): Effect.Effect<void> =>
  Effect.map(Clock.currentTimeNanos, (now) => {
    if (errorType === undefined) return span.end(now, Exit.void)
    span.attribute("error.type", errorType)
    span.end(now, errorType === interrupted ? Exit.interrupt() : Exit.fail({ name: errorType, message: errorType }))
  })

/** The type of the error in a cause: by its tag, unless `typeOf` knows better; `internal` for what nobody foresaw. */
export const errorType = <E>(cause: Cause.Cause<E>, typeOf: (error: E) => string): string => {
  if (Cause.hasInterruptsOnly(cause)) return interrupted
  return Option.match(Cause.findErrorOption(cause), { onNone: () => "internal", onSome: typeOf })
}

/** Runs an effect beneath a span, which what it logs then names; one without a name is left out. */
export const beneath =
  (span: Tracer.Span) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    UnseenSpans.isNameless(span) ? effect : Effect.provideService(effect, Tracer.ParentSpan, span)

/** Runs an effect in a span that ends as safely; `typeOf` gives the types of its errors, `undefined` for what is none. */
export const within =
  <E>(name: string, attributes: Readonly<Record<string, unknown>>, typeOf: (error: E) => string | undefined) =>
  <A, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Effect.makeSpan(name, { attributes }), (span) =>
      Effect.onExit(beneath(span)(effect), (exit) => {
        if (Exit.isSuccess(exit)) return end(span)
        const type = errorType(exit.cause, (error) => typeOf(error) ?? "")
        return end(span, type === "" ? undefined : type)
      })
    )
