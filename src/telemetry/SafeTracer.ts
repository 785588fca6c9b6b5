import { Cause, Effect, Exit, Layer, Tracer } from "effect"

/** How an effect ended, with the name of its error alone. */
const named = (exit: Exit.Exit<unknown, unknown>): Exit.Exit<unknown, unknown> => {
  if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return exit
  const [{ name } = { name: "Error" }] = Cause.prettyErrors(exit.cause)
  return Exit.fail({ name, message: name })
}

/** Makes a span whose end tells no words of an error. */
const toSafe = (span: Tracer.Span): Tracer.Span => {
  const end = span.end.bind(span)
  span.end = (endTime, exit) => end(endTime, named(exit))
  return span
}

/**
 * Makes the tracer that is there safe: of what failed a span tells the name, and never the sentence or the stack, which may quote
 * what was given to a tool or sent to a provider. That is for spans that others make, of tools and of HTTP requests; those of
 * turns end by `SafeSpan` already. Where nobody sees spans nothing is changed.
 */
export const layer: Layer.Layer<never> = Layer.effect(
  Tracer.Tracer,
  Effect.map(Tracer.Tracer, (tracer) =>
    tracer === Tracer.nativeTracer
      ? tracer
      : Tracer.make({
          span: (options) => toSafe(tracer.span(options)),
          ...(tracer.context === undefined ? {} : { context: tracer.context })
        })
  )
)
