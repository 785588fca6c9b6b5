import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Ref } from "effect"
import { TestClock } from "effect/testing"
import * as CleanUp from "../../src/conformance/CleanUp.ts"

describe("a clean-up", () => {
  it.effect("ends within its time, and leaves the rest, once something hangs", () =>
    Effect.gen(function* () {
      const cleanUp = yield* CleanUp.make(Duration.seconds(10))
      yield* cleanUp.begin
      const hanging = yield* Effect.forkChild(cleanUp.run(Effect.never))
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(hanging)
      yield* cleanUp.begin
      yield* cleanUp.run(Effect.die("it was left behind"))
    })
  )

  it.effect("has its time once for all that a rule has made, and again for the next rule", () =>
    Effect.gen(function* () {
      const cleanUp = yield* CleanUp.make(Duration.seconds(10))
      const deleted = yield* Ref.make(0)
      const slow = cleanUp.run(
        Effect.andThen(
          Effect.sleep("6 seconds"),
          Ref.update(deleted, (count) => count + 1)
        )
      )
      yield* cleanUp.begin
      const first = yield* Effect.forkChild(slow)
      yield* TestClock.adjust("6 seconds")
      yield* Fiber.join(first)
      yield* cleanUp.begin
      const next = yield* Effect.forkChild(Effect.andThen(slow, slow))
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(next)
      assert.strictEqual(yield* Ref.get(deleted), 2)
    })
  )

  it.effect("ends within its time also where nothing may interrupt it", () =>
    Effect.gen(function* () {
      const cleanUp = yield* CleanUp.make(Duration.seconds(10))
      const rule = Effect.scoped(Effect.acquireRelease(cleanUp.begin, () => cleanUp.run(Effect.never)))
      const checked = yield* Effect.forkChild(rule)
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(checked)
    })
  )
})
