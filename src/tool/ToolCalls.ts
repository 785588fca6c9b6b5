import { type Effect, Metric } from "effect"

/**
 * What became of a call: it ran and answered (`ok`) or failed in words (`failed`), took too long (`timeout`), met a bug
 * (`defect`) or was interrupted; it could not be run for its name or its input (`rejected`); it was left to the application
 * (`client`), or waits for its permission (`permission`).
 */
export type ToolOutcome = "ok" | "failed" | "timeout" | "defect" | "interrupted" | "rejected" | "client" | "permission"

/** Tool calls, by `aap.tool.outcome`. Names are no attribute: applications and models name tools freely. */
export const toolCalls = Metric.counter("aap.tool.calls", {
  description: "Tool calls",
  incremental: true,
  attributes: { unit: "{call}" }
})

/** Counts a call. */
export const count = (outcome: ToolOutcome): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(toolCalls, { "aap.tool.outcome": outcome }), 1)
