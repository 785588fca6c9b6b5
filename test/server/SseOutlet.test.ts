import { EventEmitter } from "node:events"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as SseOutlet from "../../src/server/SseOutlet.ts"

/** A response that keeps what is written, and is full where it is told to be. */
class FakeResponse extends EventEmitter {
  destroyed = false
  isFull = false
  readonly written: Array<string> = []
  write(text: string): boolean {
    this.written.push(text)
    return !this.isFull
  }
  destroy(): this {
    this.destroyed = true
    return this
  }
}

const timeouts = { heartbeat: 15_000, stall: 60_000 }

const make = Effect.gen(function* () {
  const response = new FakeResponse()
  const outlet = SseOutlet.make(response as unknown as SseOutlet.Response, yield* Clock.Clock)
  return { response, outlet }
})

const settled = Effect.repeat(Effect.yieldNow, { times: 20 })

describe("SseOutlet", () => {
  it.effect("writes nothing before the head is written, and then all of it in order", () =>
    Effect.gen(function* () {
      const { outlet, response } = yield* make
      const first = yield* Effect.forkChild(outlet.write("a"))
      yield* settled
      assert.deepStrictEqual(response.written, [])
      const body = yield* Effect.forkChild(Stream.runDrain(outlet.body))
      yield* Fiber.join(first)
      yield* outlet.write("b")
      yield* outlet.end("c")
      yield* Fiber.join(body)
      assert.strictEqual(response.written.join(""), "abc")
    })
  )

  it.effect("loses nothing of a turn that ends before the head is written", () =>
    Effect.gen(function* () {
      const { outlet, response } = yield* make
      const first = yield* Effect.forkChild(outlet.write("a"))
      yield* settled
      yield* Fiber.interrupt(first)
      yield* outlet.end("b")
      yield* Stream.runDrain(outlet.body)
      assert.strictEqual(response.written.join(""), "ab")
    })
  )

  it.effect("has the turn wait while the client takes nothing, and no longer", () =>
    Effect.gen(function* () {
      const { outlet, response } = yield* make
      yield* Effect.forkChild(Stream.runDrain(outlet.body))
      yield* settled
      response.isFull = true
      const full = yield* Effect.forkChild(outlet.write("a"))
      yield* settled
      assert.isUndefined(full.pollUnsafe())
      response.isFull = false
      response.emit("drain")
      yield* Fiber.join(full)
      response.isFull = true
      const left = yield* Effect.forkChild(outlet.write("b"))
      yield* settled
      yield* outlet.leave
      yield* Fiber.join(left)
      yield* outlet.write("c")
      assert.deepStrictEqual(response.written, ["a", "b"])
    })
  )

  it.effect("sends a comment whenever nothing else was for a heartbeat's time", () =>
    Effect.gen(function* () {
      const { outlet, response } = yield* make
      yield* Effect.forkChild(Stream.runDrain(outlet.body))
      yield* settled
      yield* TestClock.adjust("10 seconds")
      yield* outlet.write("a")
      yield* TestClock.adjust("14 seconds")
      assert.deepStrictEqual(outlet.tend(timeouts), { isCutOff: false, pause: 1000 })
      assert.deepStrictEqual(response.written, ["a"])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(outlet.tend(timeouts), { isCutOff: false, pause: 15_000 })
      assert.deepStrictEqual(response.written, ["a", ": heartbeat\n\n"])
    })
  )

  it.effect("sends no comment before the head is written", () =>
    Effect.gen(function* () {
      const { outlet, response } = yield* make
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual(outlet.tend(timeouts), { isCutOff: false, pause: 15_000 })
      assert.deepStrictEqual(response.written, [])
    })
  )

  it.effect("has nothing due once its client is gone", () =>
    Effect.gen(function* () {
      const { outlet, response } = yield* make
      yield* Effect.forkChild(Stream.runDrain(outlet.body))
      yield* settled
      yield* outlet.leave
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(outlet.tend(timeouts), { isCutOff: false, pause: 15_000 })
      assert.deepStrictEqual(response.written, [])
    })
  )

  it.effect("cuts off a client that takes nothing for the stall's time", () =>
    Effect.gen(function* () {
      const { outlet, response } = yield* make
      yield* Effect.forkChild(Stream.runDrain(outlet.body))
      yield* settled
      yield* TestClock.adjust("5 seconds")
      response.isFull = true
      yield* Effect.forkChild(outlet.write("a"))
      yield* settled
      yield* TestClock.adjust("59 seconds")
      assert.deepStrictEqual(outlet.tend(timeouts), { isCutOff: false, pause: 1000 })
      assert.isFalse(response.destroyed)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(outlet.tend(timeouts), { isCutOff: true })
      assert.isTrue(response.destroyed)
      assert.deepStrictEqual(response.written, ["a"])
    })
  )
})
