import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Exit, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as SilenceWatch from "../../src/model/SilenceWatch.ts"

const watch = SilenceWatch.make({ firstByte: Duration.seconds(30), idle: Duration.seconds(10) })

/** A connection that is watched, and the times at which it was closed, in seconds. */
const connect = Effect.fnUntraced(function* (
  watch: SilenceWatch.SilenceWatch,
  onClose: Effect.Effect<void> = Effect.void
) {
  const scope = yield* Scope.make()
  const closedAt: Array<number> = []
  const now = yield* Clock.currentTimeMillis
  const note = Effect.map(Clock.currentTimeMillis, (at) => closedAt.push((at - now) / 1000))
  yield* Scope.addFinalizer(scope, Effect.andThen(note, onClose))
  return { scope, closedAt, watched: yield* watch.begin(scope) }
})

describe("SilenceWatch", () => {
  it.effect("closes a connection whose first byte is late, to the second, whenever it began", () =>
    Effect.gen(function* () {
      const silence = yield* watch
      const first = yield* connect(silence)
      yield* TestClock.adjust("7 seconds")
      const second = yield* connect(silence)
      yield* TestClock.adjust("29 seconds")
      assert.deepStrictEqual([first.closedAt, second.closedAt], [[30], []])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual([first.closedAt, second.closedAt], [[30], [30]])
      assert.strictEqual(first.watched.expired?.message, "the model server sent nothing for 30s")
    }).pipe(Effect.scoped)
  )

  it.effect("closes one that goes silent, and none beside it that is heard", () =>
    Effect.gen(function* () {
      const silence = yield* watch
      const silent = yield* connect(silence)
      const heard = yield* connect(silence)
      silence.hear(silent.watched)
      silence.wait(silent.watched)
      for (let second = 0; second < 60; second++) {
        silence.hear(heard.watched)
        silence.wait(heard.watched)
        yield* TestClock.adjust("1 second")
      }
      assert.deepStrictEqual([silent.closedAt, heard.closedAt], [[10], []])
      assert.strictEqual(silent.watched.expired?.message, "the model server sent nothing more for 10s")
      assert.strictEqual(heard.watched.expired, undefined)
    }).pipe(Effect.scoped)
  )

  it.effect("does not count the time in which nobody waits", () =>
    Effect.gen(function* () {
      const silence = yield* watch
      const { closedAt, watched } = yield* connect(silence)
      silence.hear(watched)
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(closedAt, [])
      silence.wait(watched)
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(closedAt, [3610])
    }).pipe(Effect.scoped)
  )

  it.effect("forgets one that is over, and goes on where closing fails", () =>
    Effect.gen(function* () {
      const silence = yield* watch
      const over = yield* connect(silence)
      const broken = yield* connect(silence, Effect.die("a bug"))
      yield* TestClock.adjust("5 seconds")
      const later = yield* connect(silence)
      yield* Scope.close(over.scope, Exit.void)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual([over.closedAt, broken.closedAt, later.closedAt], [[5], [30], [30]])
      assert.strictEqual(over.watched.expired, undefined)
    }).pipe(Effect.scoped)
  )

  it.effect("bounds how long an answer may say nothing but comments", () =>
    Effect.gen(function* () {
      const silence = yield* watch
      const { watched } = yield* connect(silence)
      assert.strictEqual(silence.weigh(watched, true), undefined)
      yield* TestClock.adjust("100 seconds")
      assert.strictEqual(silence.weigh(watched, false), undefined)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(
        silence.weigh(watched, false)?.message,
        "the model server sent nothing but comments for 1m 40s"
      )
      assert.strictEqual(silence.weigh(watched, true), undefined)
    }).pipe(Effect.scoped)
  )
})
