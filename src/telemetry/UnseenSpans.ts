import { Context, Effect, Exit, Layer, Option, Tracer } from "effect"
import { HttpClient, HttpMiddleware } from "effect/http"

/** Stands for the spans beneath another that nobody sees, and keeps nothing of them but the name that their logs have. */
class UnseenSpan implements Tracer.Span {
  readonly _tag = "Span"
  readonly name = "unseen"
  readonly kind = "internal"
  readonly sampled = false
  readonly parent = Option.none<Tracer.AnySpan>()
  readonly annotations = Context.empty()
  readonly status = { _tag: "Ended", startTime: 0n, endTime: 0n, exit: Exit.void } as const
  readonly attributes = new Map<string, unknown>()
  readonly links = []
  readonly traceId: string
  readonly spanId: string

  constructor({ spanId, traceId }: Pick<Tracer.AnySpan, "spanId" | "traceId">) {
    this.traceId = traceId
    this.spanId = spanId
  }

  end() {}
  attribute() {}
  event() {}
  addLinks() {}
}

/** Stands for the spans beneath none. Its ids are those of no span by W3C Trace Context. */
const root = new UnseenSpan({ traceId: "0".repeat(32), spanId: "0".repeat(16) })

const tracer = Tracer.make({
  span: ({ parent }) => {
    if (Option.isNone(parent)) return root
    return parent.value instanceof UnseenSpan ? parent.value : new UnseenSpan(parent.value)
  }
})

/** Whether anybody sees the spans that are made here: without an exporter nobody does. */
export const isSeen: Effect.Effect<boolean> = Effect.map(
  Tracer.Tracer,
  (current) => current !== Tracer.nativeTracer && current !== tracer
)

/** Whether a span has no name by which it could be found. */
export const isNameless = (span: Tracer.AnySpan): boolean => span === root

const unseen = Context.make(Tracer.Tracer, tracer).pipe(
  Context.add(HttpClient.TracerDisabledWhen, () => true),
  Context.add(HttpMiddleware.TracerDisabledWhen, ({ headers }) => !("traceparent" in headers))
)

/**
 * Where nobody sees spans none are made: each would take as long to make, and stay as long, as one that somebody sees, and
 * would be told to model providers. Logs name the caller's span, if it has one.
 */
export const layer: Layer.Layer<never> = Layer.effectContext(
  Effect.map(isSeen, (isSeen): Context.Context<never> => (isSeen ? Context.empty() : unseen))
)
