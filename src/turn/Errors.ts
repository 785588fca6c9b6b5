import { type Effect, Metric } from "effect"

/** What went wrong, by `error.type`: what ended a turn, and what requests met that nobody foresaw. */
export const errors = Metric.counter("aap.errors", {
  description: "What went wrong",
  incremental: true,
  attributes: { unit: "{error}" }
})

/** Counts an error. Its type is one of a few words, never what an error says. */
export const count = (type: string): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(errors, { "error.type": type }), 1)
