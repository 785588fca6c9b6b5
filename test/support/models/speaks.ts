import { assert, layer } from "@effect/vitest"
import { Effect, type Layer, Result, Stream } from "effect"
import { make as entry } from "../../../src/history/HistoryEntry.ts"
import { ChatModel, type ModelEvent, type ModelRequest } from "../../../src/model/ChatModel.ts"
import type { HistoryMessage } from "../../../src/protocol/Message.ts"

const user: HistoryMessage = { role: "user", content: "hi" }
/** A tool that looks. */
export const look = { name: "look", description: "Looks.", parameters: { type: "object" } }
/** A request for a model, named for the script that it plays. */
export const request = (model: string, history: ReadonlyArray<HistoryMessage> = [user]): ModelRequest => ({
  model,
  system: "Be brief.",
  history: history.map(entry),
  tools: [look, { ...look, name: "hear it" }]
})

const listen = Effect.fnUntraced(function* (model: string) {
  const events: Array<ModelEvent> = []
  const chat = yield* ChatModel
  const result = yield* Effect.result(
    Stream.runForEach(chat.stream(request(model)), (event) => Effect.sync(() => void events.push(event)))
  )
  return { events, error: Result.isFailure(result) ? result.failure : undefined }
})

const textOf = (events: ReadonlyArray<ModelEvent>, type: "text_delta" | "thinking_delta") =>
  events.map((event) => (event.type === type ? event.delta : "")).join("")
const callsOf = (events: ReadonlyArray<ModelEvent>) =>
  events.flatMap((event) => (event.type === "tool_call" ? [[event.name, event.arguments.trim() || "{}"]] : []))
const finishOf = (events: ReadonlyArray<ModelEvent>) => events.find((event) => event.type === "finish")

/** What a model must do, whoever speaks with its provider. The names of models are those of the mock servers' scripts. */
export const speaks = (name: string, model: Layer.Layer<ChatModel>): void =>
  layer(model, { excludeTestServices: true })(name, (it) => {
    it.effect("speaks", () =>
      Effect.gen(function* () {
        const { error, events } = yield* listen("text")
        assert.strictEqual(error, undefined)
        assert.strictEqual(textOf(events, "text_delta"), "Grüße, 東京 🎈")
        assert.strictEqual(finishOf(events)?.reason, "stop")
        assert.strictEqual(finishOf(events)?.usage?.inputTokens, 7)
        assert.strictEqual(finishOf(events)?.usage?.outputTokens, 3)
        assert.strictEqual(finishOf(events)?.usage?.cachedTokens, 2)
        assert.strictEqual(events.filter(({ type }) => type === "finish").length, 1)
      })
    )

    it.effect("thinks before it speaks", () =>
      Effect.gen(function* () {
        const { events } = yield* listen("thinking")
        assert.strictEqual(textOf(events, "thinking_delta"), "I should look. 東京 🎈")
        assert.strictEqual(textOf(events, "text_delta"), "Looked.")
      })
    )

    it.effect("calls tools, several at once", () =>
      Effect.gen(function* () {
        const { events } = yield* listen("calls")
        assert.deepStrictEqual(callsOf(events), [
          ["look", '{"at":"it"}'],
          ["hear", "{}"]
        ])
        assert.strictEqual(textOf(events, "text_delta"), "Let me look.")
      })
    )

    it.effect.each([
      { model: "length", reason: "length" },
      { model: "refusal", reason: "refusal" }
    ])("stops for $reason", ({ model, reason }) =>
      Effect.gen(function* () {
        const { error, events } = yield* listen(model)
        assert.strictEqual(error, undefined)
        assert.strictEqual(finishOf(events)?.reason, reason)
        assert.isAbove(textOf(events, "text_delta").length, 0)
      })
    )

    it.effect.each([
      { model: "overloaded", reason: "overloaded", retryable: true, said: "" },
      { model: "overloaded-late", reason: "overloaded", retryable: true, said: "Half" },
      { model: "context", reason: "context_overflow", retryable: false, said: "" },
      { model: "cut", reason: "network", retryable: true, said: "Half" },
      { model: "hang", reason: "timeout", retryable: true, said: "Half" },
      { model: "early", reason: "bad_response", retryable: true, said: "Half" },
      { model: "limited", reason: "rate_limited", retryable: true, said: "" },
      { model: "nobody", reason: "invalid_request", retryable: false, said: "" }
    ])("fails for $reason: $model", ({ model, reason, retryable, said }) =>
      Effect.gen(function* () {
        const { error, events } = yield* listen(model)
        assert.strictEqual(error?.reason, reason)
        assert.strictEqual(error?.retryable, retryable)
        assert.strictEqual(textOf(events, "text_delta"), said)
        if (model === "limited") assert.strictEqual(error?.retryAfterMillis, 7000)
      })
    )
  })
