import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result, Stream } from "effect"
import type * as Arr from "effect/Array"
import { ChatModel, type ModelEvent, type ModelRequest } from "../../src/model/ChatModel.ts"
import * as Scripted from "../../src/model/Scripted.ts"

const request: ModelRequest = { model: "session's", system: "", history: [], tools: [] }
const overloaded = Scripted.fail({ reason: "overloaded", retryable: true })

const renamed = (model: Scripted.ScriptedModel, provider: string) =>
  Layer.effect(
    ChatModel,
    Effect.map(ChatModel, ({ stream }) => ({ provider, stream }))
  ).pipe(Layer.provide(model.layer))

/** Plays one reply a model, through a list of them. */
const play = (...replies: Arr.NonEmptyReadonlyArray<Scripted.Reply>) => {
  const models = replies.map((reply) => Scripted.make(() => reply))
  const [first, ...rest] = models.map((model, index) => ({
    layer: renamed(model, `p${index}`),
    ...(index === 0 ? {} : { model: `m${index}` })
  }))
  const events: Array<ModelEvent> = []
  return Effect.gen(function* () {
    if (first === undefined) return yield* Effect.die("no model")
    const result = yield* Effect.gen(function* () {
      const chat = yield* ChatModel
      return yield* Effect.result(
        Stream.runForEach(chat.stream(request), (event) => Effect.sync(() => void events.push(event)))
      )
    }).pipe(Effect.provide(ChatModel.fallback([first, ...rest])))
    const error = Result.isFailure(result) ? result.failure : undefined
    return { events, error, asked: models.map(({ requests }) => requests.map(({ model }) => model)) }
  })
}

const said = (events: ReadonlyArray<ModelEvent>) =>
  events.flatMap((event) => (event.type === "text_delta" ? [event.delta] : []))

describe("ChatModel.fallback", () => {
  it.effect("asks the first alone when it answers, for the session's model", () =>
    Effect.gen(function* () {
      const { asked, events } = yield* play(Scripted.text("one"), Scripted.text("two"))
      assert.deepStrictEqual(said(events), ["one"])
      assert.deepStrictEqual(asked, [["session's"], []])
    })
  )

  it.effect("asks the next for its own model, each once", () =>
    Effect.gen(function* () {
      const { asked, error, events } = yield* play(
        overloaded,
        Scripted.fail({ reason: "unauthorized" }),
        Scripted.text("three")
      )
      assert.strictEqual(error, undefined)
      assert.deepStrictEqual(said(events), ["three"])
      assert.deepStrictEqual(asked, [["session's"], ["m1"], ["m2"]])
    })
  )

  it.effect("asks nobody else once something was seen, or the model refused", () =>
    Effect.gen(function* () {
      const late = yield* play(Scripted.reply(Scripted.thinking("hm"), overloaded), Scripted.text("two"))
      assert.strictEqual(late.error?.reason, "overloaded")
      assert.deepStrictEqual(late.asked[1], [])
      const called = yield* play(Scripted.reply(Scripted.call("look"), overloaded), Scripted.text("two"))
      assert.deepStrictEqual(called.asked[1], [])
      const refused = yield* play(Scripted.fail({ reason: "refused" }), Scripted.text("two"))
      assert.strictEqual(refused.error?.reason, "refused")
      assert.deepStrictEqual(refused.asked[1], [])
    })
  )

  it.effect.each([
    { name: "the first", fails: ["context_overflow", "unauthorized"], told: "context_overflow" },
    { name: "the one that may pass", fails: ["unauthorized", "rate_limited", "overloaded"], told: "rate_limited" }
  ] as const)("tells of $name when all fail", ({ fails, told }) =>
    Effect.gen(function* () {
      const [first, ...rest] = fails.map((reason) =>
        Scripted.fail({ reason, retryable: reason === "rate_limited" || reason === "overloaded" })
      )
      const { error } = yield* play(first ?? Scripted.end, ...rest)
      assert.strictEqual(error?.reason, told)
    })
  )

  it.effect("tells of the failure that passes soonest", () =>
    Effect.gen(function* () {
      const limited = (retryAfterMillis: number) =>
        Scripted.fail({ reason: "rate_limited", retryable: true, retryAfterMillis })
      const { error } = yield* play(limited(90_000), limited(500), limited(9000))
      assert.strictEqual(error?.retryAfterMillis, 500)
    })
  )

  it.effect("keeps whose data it is, and none of a model that failed", () =>
    Effect.gen(function* () {
      const { events } = yield* play(
        Scripted.reply(Scripted.event({ type: "provider_data", data: "stale" }), overloaded),
        Scripted.reply(Scripted.event({ type: "provider_data", data: "kept" }), Scripted.call("look"))
      )
      assert.deepStrictEqual(
        events.map((event) => ("provider" in event ? [event.provider, event.type] : [event.type])),
        [
          ["p1", "provider_data"],
          ["p1", "tool_call"],
          ["p1", "finish"]
        ]
      )
    })
  )
})
