import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Random, Result, Stream } from "effect"
import { TestClock } from "effect/testing"
import { ChatModel, type ModelEvent, type ModelRequest } from "../../src/model/ChatModel.ts"
import * as Retry from "../../src/model/Retry.ts"
import * as Scripted from "../../src/model/Scripted.ts"

const request: ModelRequest = { model: "m", system: "", history: [], tools: [] }
const overloaded = Scripted.fail({ reason: "overloaded", retryable: true })

const play = (...script: ReadonlyArray<Scripted.Reply>) => {
  const model = Scripted.make(script)
  const events: Array<ModelEvent> = []
  const run = Effect.gen(function* () {
    const { stream } = yield* ChatModel
    return yield* Retry.beforeFirstDelta(stream(request)).pipe(
      Stream.runForEach((event) => Effect.sync(() => void events.push(event))),
      Effect.result
    )
  }).pipe(Effect.provide(model.layer), Random.withSeed("seed"))
  return { run, events, requests: model.requests }
}

const types = (events: ReadonlyArray<ModelEvent>) => events.map((event) => event.type)

describe("Retry", () => {
  it.effect("asks again, after longer waits, while nothing was seen", () =>
    Effect.gen(function* () {
      const played = play(overloaded, overloaded, Scripted.text("hello"))
      const fiber = yield* Effect.forkChild(played.run)
      yield* TestClock.adjust("499 millis")
      assert.strictEqual(played.requests.length, 1)
      yield* TestClock.adjust("501 millis")
      assert.strictEqual(played.requests.length, 2)
      yield* TestClock.adjust("999 millis")
      assert.strictEqual(played.requests.length, 2)
      yield* TestClock.adjust("1001 millis")
      assert.isTrue(Result.isSuccess(yield* Fiber.join(fiber)))
      assert.deepStrictEqual(types(played.events), ["text_delta", "finish"])
    })
  )

  it.effect("gives up after its attempts", () =>
    Effect.gen(function* () {
      const played = play(overloaded, overloaded, overloaded, Scripted.text("never"))
      const fiber = yield* Effect.forkChild(played.run)
      yield* TestClock.adjust("1 minute")
      const result = yield* Fiber.join(fiber)
      assert.strictEqual(Result.isFailure(result) ? result.failure.reason : undefined, "overloaded")
      assert.strictEqual(played.requests.length, 3)
    })
  )

  it.effect("waits as long as the provider asks, unless that is too long", () =>
    Effect.gen(function* () {
      const limited = (retryAfterMillis: number) =>
        Scripted.fail({ reason: "rate_limited", retryable: true, retryAfterMillis })
      const patient = play(limited(20_000), Scripted.text("hello"))
      const fiber = yield* Effect.forkChild(patient.run)
      yield* TestClock.adjust("19999 millis")
      assert.strictEqual(patient.requests.length, 1)
      yield* TestClock.adjust("1 millis")
      assert.isTrue(Result.isSuccess(yield* Fiber.join(fiber)))
      const hasty = play(limited(31_000), Scripted.text("never"))
      assert.isTrue(Result.isFailure(yield* hasty.run))
      assert.strictEqual(hasty.requests.length, 1)
    })
  )

  it.effect.each([
    { name: "text", reply: Scripted.reply(Scripted.text("hel"), overloaded) },
    { name: "thinking", reply: Scripted.reply(Scripted.thinking("hm"), overloaded) },
    { name: "a call", reply: Scripted.reply(Scripted.call("look"), overloaded) },
    { name: "what no wait mends", reply: Scripted.fail({ reason: "unauthorized" }) }
  ])("never asks again after $name", ({ reply }) =>
    Effect.gen(function* () {
      const played = play(reply, Scripted.text("never"))
      assert.isTrue(Result.isFailure(yield* played.run))
      assert.strictEqual(played.requests.length, 1)
    })
  )

  it.effect("asks again after what nobody saw", () =>
    Effect.gen(function* () {
      const unseen = Scripted.event({ type: "provider_data", data: 1 })
      const played = play(Scripted.reply(Scripted.text(""), unseen, overloaded), Scripted.text("hello"))
      const fiber = yield* Effect.forkChild(played.run)
      yield* TestClock.adjust("1 second")
      assert.isTrue(Result.isSuccess(yield* Fiber.join(fiber)))
      assert.strictEqual(played.requests.length, 2)
    })
  )
})
