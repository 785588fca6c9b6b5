import { Cause, Clock, Effect, Exit, Option, Tracer } from "effect"

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

/** Whether anybody sees the spans that are made here: without an exporter nobody does. */
export const isSeen: Effect.Effect<boolean> = Effect.map(Tracer.Tracer, (tracer) => tracer !== Tracer.nativeTracer)

/** Stands for every span that nobody sees, so that none of them is kept. */
const unseen: Tracer.Span = Effect.runSync(Effect.withTracerEnabled(Effect.makeSpan("unseen"), false))

/** Makes a span, beneath the current one unless another is its parent. */
export const make = (name: string, options: Tracer.SpanOptions): Effect.Effect<Tracer.Span> =>
  Effect.flatMap(isSeen, (isSeen) => (isSeen ? Effect.makeSpan(name, options) : Effect.succeed(unseen)))

/** Runs an effect in a span that ends as safely; `typeOf` gives the types of its errors, `undefined` for what is none. */
export const within =
  <E>(name: string, attributes: Readonly<Record<string, unknown>>, typeOf: (error: E) => string | undefined) =>
  <A, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, Exclude<R, Tracer.ParentSpan>> =>
    Effect.flatMap(make(name, { attributes }), (span) =>
      Effect.onExit(Effect.withParentSpan(effect, span), (exit) => {
        if (Exit.isSuccess(exit)) return end(span)
        const type = errorType(exit.cause, (error) => typeOf(error) ?? "")
        return end(span, type === "" ? undefined : type)
      })
    )
