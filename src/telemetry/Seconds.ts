import { Clock, type Effect, Metric } from "effect"

/** Where the GenAI conventions have the borders of durations, in seconds. */
const boundaries = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]

/** A histogram of durations, in seconds. */
export const histogram = (name: string, description: string, finest: ReadonlyArray<number> = []) =>
  Metric.histogram(name, { description, boundaries: [...finest, ...boundaries], attributes: { unit: "s" } })

/** A moment of the clock, to measure from. */
export const now: Effect.Effect<bigint> = Clock.currentTimeNanos

/** How long it is from one moment to another, in seconds. */
export const between = (from: bigint, to: bigint): number => Number(to - from) / 1e9
