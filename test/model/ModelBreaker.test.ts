import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Result, Stream } from "effect"
import { TestClock } from "effect/testing"
import { ChatModel } from "../../src/model/ChatModel.ts"
import * as ModelBreaker from "../../src/model/ModelBreaker.ts"
import * as Scripted from "../../src/model/Scripted.ts"

const overloaded = Scripted.fail({ reason: "overloaded", retryable: true })
const ok = Scripted.text("ok")

/** Plays replies through a breaker that gives up after two failures. */
const play = (...script: ReadonlyArray<Scripted.Reply>) => {
  const model = Scripted.make(script)
  const ask = (name = "m") =>
    Effect.flatMap(ChatModel, (chat) =>
      Stream.runCollect(chat.stream({ model: name, system: "", history: [], tools: [] })).pipe(
        Effect.result,
        Effect.map((result) => (Result.isFailure(result) ? result.failure : undefined))
      )
    )
  return { ask, requests: model.requests, layer: ModelBreaker.layer(model.layer, { failures: 2 }) }
}

describe("ModelBreaker", () => {
  it.effect("leaves a model alone once it failed too often in a row, and tries again later", () => {
    const { ask, layer, requests } = play(overloaded, ok, overloaded, overloaded, ok, ok)
    return Effect.gen(function* () {
      for (const reason of ["overloaded", undefined, "overloaded", "overloaded"]) {
        assert.strictEqual((yield* ask())?.reason, reason)
      }
      const left = yield* ask()
      assert.include(left?.message, "left alone")
      assert.strictEqual(left?.retryable, false)
      assert.strictEqual(left?.retryAfterMillis, 30_000)
      assert.strictEqual(requests.length, 4)
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(yield* ask(), undefined)
      assert.strictEqual(yield* ask(), undefined)
    }).pipe(Effect.provide(layer))
  })

  it.effect("leaves it alone as long as the provider asks for", () => {
    const limited = Scripted.fail({ reason: "rate_limited", retryable: true, retryAfterMillis: 90_000 })
    const { ask, layer } = play(limited, limited, ok)
    return Effect.gen(function* () {
      yield* ask()
      yield* ask()
      yield* TestClock.adjust("89 seconds")
      assert.strictEqual((yield* ask())?.retryAfterMillis, 1000)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* ask(), undefined)
    }).pipe(Effect.provide(layer))
  })

  it.effect("leaves no other model alone", () => {
    const { ask, layer } = play(overloaded, overloaded, ok)
    return Effect.gen(function* () {
      yield* ask()
      yield* ask()
      assert.strictEqual(yield* ask("other"), undefined)
    }).pipe(Effect.provide(layer))
  })

  it.effect("takes a bad request for an answer", () => {
    const bad = Scripted.fail({ reason: "invalid_request" })
    const { ask, layer } = play(overloaded, bad, overloaded, bad, ok)
    return Effect.gen(function* () {
      for (let count = 0; count < 4; count++) yield* ask()
      assert.strictEqual(yield* ask(), undefined)
    }).pipe(Effect.provide(layer))
  })

  it.effect("lets one request through at a time while it tries again", () => {
    const { ask, layer, requests } = play(
      overloaded,
      overloaded,
      Scripted.reply(Scripted.wait(Effect.sleep(1000)), ok),
      ok
    )
    return Effect.gen(function* () {
      yield* ask()
      yield* ask()
      yield* TestClock.adjust("30 seconds")
      const probe = yield* Effect.forkChild(ask())
      yield* TestClock.adjust(0)
      assert.include((yield* ask())?.message, "left alone")
      assert.strictEqual(requests.length, 3)
      yield* TestClock.adjust(1000)
      assert.strictEqual(yield* Fiber.join(probe), undefined)
      assert.strictEqual(yield* ask(), undefined)
    }).pipe(Effect.provide(layer))
  })

  it.effect("holds nothing against a model whose client went away", () => {
    const hang = Scripted.wait(Effect.never)
    const { ask, layer } = play(hang, hang, hang, ok)
    return Effect.gen(function* () {
      for (let count = 0; count < 3; count++) {
        const fiber = yield* Effect.forkChild(ask())
        yield* TestClock.adjust(1)
        yield* Fiber.interrupt(fiber)
      }
      assert.strictEqual(yield* ask(), undefined)
    }).pipe(Effect.provide(layer))
  })

  it.effect("hands its list to the next model at once", () => {
    const first = Scripted.make(() => overloaded)
    const second = Scripted.make(() => ok)
    const list = ChatModel.fallback([
      { layer: ModelBreaker.layer(first.layer, { failures: 2 }) },
      { layer: Layer.fresh(second.layer), model: "spare" }
    ])
    return Effect.gen(function* () {
      const chat = yield* ChatModel
      for (let count = 0; count < 4; count++) {
        yield* Stream.runDrain(chat.stream({ model: "m", system: "", history: [], tools: [] }))
      }
      assert.strictEqual(first.requests.length, 2)
      assert.strictEqual(second.requests.length, 4)
    }).pipe(Effect.provide(list))
  })
})
