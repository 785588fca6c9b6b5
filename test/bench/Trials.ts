import { Effect } from "effect"
import * as Child from "./Child.ts"
import { median, quantile } from "./Figure.ts"
import * as Rig from "./Rig.ts"

/** One go at one target: what came out of it, by name. */
export type Trial<Name extends string> = (
  rig: Rig.Rig,
  target: Rig.Target
) => Effect.Effect<Readonly<Record<Name, number>>>

/** CPU per delta where the model speaks as fast as it is heard, with all that its turns take. In microseconds. */
export const burst =
  (streams: number, deltas: number, kind: "burst" | "padded" = "burst"): Trial<"cpu"> =>
  (rig, target) =>
    Effect.gen(function* () {
      const model = `${kind}:${deltas}`
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

/** How long `turn_start` and the first delta take where the model thinks for a while, one turn after the other. */
export const begin =
  (turns: number, thinking: number): Trial<"start" | "first"> =>
  (rig, target) =>
    Effect.gen(function* () {
      yield* Rig.open(rig, target, { mode: "stream", model: `late:${thinking}`, count: turns, concurrency: 1 })
      yield* Rig.finish(rig)
      const { firsts, starts } = yield* Child.tally(rig.load)
      return { start: median(starts), first: median(firsts) }
    })

/** What each open stream holds in memory, in kilobytes: on the heap and beside it, and in the process as a whole. */
export const memory =
  (streams: number): Trial<"heap" | "resident"> =>
  (rig, target) =>
    Effect.gen(function* () {
      const before = yield* Child.collected(target.child)
      yield* Rig.open(rig, target, { mode: "stream", model: "paced:1000", count: streams, concurrency: 20 })
      const after = yield* Child.collected(target.child)
      yield* rig.model.ask("stop")
      yield* Rig.finish(rig)
      yield* Child.tally(rig.load)
      return {
        heap: (after.heapBytes - before.heapBytes) / streams / 1000,
        resident: (after.rssBytes - before.rssBytes) / streams / 1000
      }
    })

/** CPU of a turn in mode `none`, twenty deltas long, with all that it stores; eight at a time. In microseconds. */
export const none =
  (turns: number): Trial<"cpu"> =>
  (rig, target) =>
    Effect.gen(function* () {
      const before = yield* Rig.open(rig, target, { mode: "whole", model: "burst:20", count: turns, concurrency: 8 })
      yield* Rig.finish(rig)
      const after = yield* Child.usage(target.child)
      yield* Child.tally(rig.load)
      return { cpu: (after.cpuMicros - before.cpuMicros) / turns }
    })

/** Turns in mode `none`, one after the other, on a new session of these messages: the time of one, and what one leaves on the heap. */
export const onHistory =
  (messages: Parameters<typeof Rig.create>[4], turns: number): Trial<"millis" | "kept"> =>
  (rig, target) =>
    Effect.gen(function* () {
      const [id = ""] = yield* Rig.create(rig, target, "burst:20", 1, messages)
      const sessions = Array.from({ length: turns }, () => id)
      const before = yield* Child.collected(target.child)
      yield* Rig.open(rig, target, { mode: "whole", model: "burst:20", count: turns, concurrency: 1, sessions })
      yield* Rig.finish(rig)
      const after = yield* Child.collected(target.child)
      const { wholes } = yield* Child.tally(rig.load)
      return { millis: median(wholes), kept: (after.heapBytes - before.heapBytes) / turns / 1000 }
    })
