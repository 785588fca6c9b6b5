import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Logger, References, Scope } from "effect"
import { TestClock } from "effect/testing"
import type { SseOutlet, Tended } from "../../src/server/SseOutlet.ts"
import { SseTender } from "../../src/server/SseTender.ts"

/** An outlet that is tended at these times, in seconds, and that says each time what is told. */
const outlet = (answers: ReadonlyArray<Tended>) => {
  const times: Array<number> = []
  const told = [...answers]
  const tend = (): Tended => told.shift() ?? { isCutOff: false, pause: 15_000 }
  const noted = (now: () => number): SseOutlet => ({
    ...({} as SseOutlet),
    tend: () => {
      times.push(now() / 1000)
      return tend()
    }
  })
  return { noted, times }
}

const nothingFor = (pause: number): Tended => ({ isCutOff: false, pause })

const tender = SseTender.layer({ heartbeat: 15_000, stall: 60_000 })

describe("SseTender", () => {
  it.effect("sleeps until something can be due on any stream", () =>
    Effect.gen(function* () {
      const clock = yield* Effect.clockWith(Effect.succeed)
      const { tend } = yield* SseTender
      const one = outlet([nothingFor(15_000), nothingFor(4000)])
      const other = outlet([nothingFor(9000)])
      yield* tend(one.noted(() => clock.currentTimeMillisUnsafe()))
      yield* tend(other.noted(() => clock.currentTimeMillisUnsafe()))
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(one.times, [15, 24, 28, 43, 58])
      assert.deepStrictEqual(other.times, one.times)
    }).pipe(Effect.scoped, Effect.provide(tender))
  )

  it.effect("walks the streams once for all that is due within a short time", () =>
    Effect.gen(function* () {
      const clock = yield* Effect.clockWith(Effect.succeed)
      const { tend } = yield* SseTender
      const one = outlet([nothingFor(3000), nothingFor(-5), nothingFor(10)])
      yield* tend(one.noted(() => clock.currentTimeMillisUnsafe()))
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual(one.times, [15, 18, 18.75, 19.5])
    }).pipe(Effect.scoped, Effect.provide(tender))
  )

  it.effect("goes on after a stream that cannot be tended", () =>
    Effect.gen(function* () {
      const { tend } = yield* SseTender
      let times = 0
      const fail = (): never => {
        times++
        throw new Error("a bug")
      }
      yield* tend({ ...({} as SseOutlet), tend: fail })
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(times, 2)
    }).pipe(Effect.scoped, Effect.provide(tender))
  )

  it.effect(
    "tends no stream that is over, and none whose client is cut off, which it logs as a part of its request",
    () => {
      const logged: Array<unknown> = []
      const logger = Logger.make(({ fiber, message }) => {
        logged.push([message, fiber.getRef(References.CurrentLogAnnotations)])
      })
      return Effect.gen(function* () {
        const clock = yield* Effect.clockWith(Effect.succeed)
        const { tend } = yield* SseTender
        const stalled = outlet([{ isCutOff: true }])
        const over = outlet([])
        const scope = yield* Scope.make()
        yield* tend(stalled.noted(() => clock.currentTimeMillisUnsafe())).pipe(Effect.annotateLogs("requestId", "r1"))
        yield* Scope.provide(tend(over.noted(() => clock.currentTimeMillisUnsafe())), scope)
        yield* TestClock.adjust("15 seconds")
        yield* Scope.close(scope, Exit.void)
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(stalled.times, [15])
        assert.deepStrictEqual(over.times, [15])
        assert.deepStrictEqual(logged, [[["a client stopped reading its stream and was cut off"], { requestId: "r1" }]])
      }).pipe(Effect.scoped, Effect.provide(Layer.provideMerge(tender, Logger.layer([logger]))))
    }
  )
})
