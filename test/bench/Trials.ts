import { Effect } from "effect"
import * as Child from "./Child.ts"
import { median, quantile } from "./Figure.ts"
import * as Rig from "./Rig.ts"

/** How much is measured. */
export interface Size {
  readonly rounds: number
  /** How long a paced stretch is watched, in seconds. */
  readonly seconds: number
  readonly burst: { readonly streams: number; readonly deltas: number }
  readonly streams: number
}

/** One go at one target: what came out of it, by name. */
export type Trial<Name extends string> = (
  rig: Rig.Rig,
  target: Rig.Target
) => Effect.Effect<Readonly<Record<Name, number>>>

/** CPU per delta where the model speaks as fast as it is heard, with all that its turns take. In microseconds. */
export const burst =
  ({ deltas, streams }: Size["burst"]): Trial<"cpu"> =>
  (rig, target) =>
    Effect.gen(function* () {
      const model = `burst:${deltas}`
      const before = yield* Rig.open(rig, target, { mode: "stream", model, count: streams, concurrency: streams })
      yield* Rig.finish(rig)
      const after = yield* Child.usage(target.child)
      const counted = yield* Child.tally(rig.load)
      if (counted.deltas !== streams * deltas) return yield* Effect.die(new Error(`${counted.deltas} deltas came`))
      return { cpu: (after.cpuMicros - before.cpuMicros) / counted.deltas }
    })

/** CPU per delta while so many streams have fifty deltas a second each, and how late these come, in milliseconds. */
export const paced =
  (streams: number, seconds: number): Trial<"cpu" | "p50" | "p99" | "rate"> =>
  (rig, target) =>
    Effect.gen(function* () {
      yield* Rig.open(rig, target, { mode: "stream", model: "paced:20", count: streams, concurrency: 20 })
      yield* Effect.sleep("1 second")
      yield* Child.tally(rig.load)
      const before = yield* Child.usage(target.child)
      yield* Effect.sleep(seconds * 1000)
      const after = yield* Child.usage(target.child)
      const { ages, deltas } = yield* Child.tally(rig.load)
      yield* rig.model.ask("stop")
      yield* Rig.finish(rig)
      return {
        cpu: (after.cpuMicros - before.cpuMicros) / deltas,
        p50: median(ages),
        p99: quantile(ages, 0.99),
        rate: deltas / seconds
      }
    })
