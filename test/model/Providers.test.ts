import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Result, Schema, Stream } from "effect"
import { make as entry } from "../../src/history/HistoryEntry.ts"
import * as AnswerReader from "../../src/model/AnswerReader.ts"
import * as Anthropic from "../../src/model/Anthropic.ts"
import { ChatModel, type ModelEvent, type ModelRequest } from "../../src/model/ChatModel.ts"
import * as Gemini from "../../src/model/Gemini.ts"
import * as OpenAiChat from "../../src/model/OpenAiChat.ts"
import * as OpenAiResponses from "../../src/model/OpenAiResponses.ts"
import type { HistoryMessage } from "../../src/protocol/Message.ts"
import { AnyEntry, ToolNames } from "../support/AnyHistory.ts"
import type { Dialect } from "../support/models/dialect.ts"
import { MockModel } from "../support/models/MockModel.ts"
import { dialects, scripts } from "../support/models/scripts.ts"

const user: HistoryMessage = { role: "user", content: "hi" }
const look = { name: "look", description: "Looks.", parameters: { type: "object" } }
const request = (model: string, history: ReadonlyArray<HistoryMessage> = [user]): ModelRequest => ({
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

const mock = (dialect: Dialect) =>
  Layer.unwrap(Effect.map(MockModel, ({ baseUrl }) => dialect.layer(baseUrl))).pipe(
    Layer.provideMerge(Layer.merge(MockModel.layer(dialect.name), NodeHttpClient.layerNodeHttp))
  )

describe("every provider", () => {
  for (const dialect of dialects) {
    layer(mock(dialect), { excludeTestServices: true })(dialect.name, (it) => {
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

    it.prop(
      `${dialect.name} takes whatever history there is`,
      [Schema.Array(AnyEntry), Schema.Array(ToolNames), Schema.Literals(["gemini-3", "deepseek-x"])],
      ([history, tools, model]) => {
        const specs = [...new Set(tools)].map((name) => ({ ...look, name }))
        const body = dialect.encode({ model, system: " ", history, tools: specs })
        assert.strictEqual(dialect.flaw(JSON.parse(JSON.stringify(body)), model), undefined)
      },
      { arbitrary: { runs: 1500 } }
    )
  }
})

describe("every provider, cut at every byte,", () => {
  const read = <State, Chunk>(
    provider: Parameters<typeof AnswerReader.make<State, Chunk>>[0],
    bytes: Uint8Array,
    cut: number
  ) => {
    const reader = AnswerReader.make(provider, provider.encode(request("gemini-3")).state, false)
    const events: Array<ModelEvent> = []
    let over = false
    for (const step of [
      () => reader.read([bytes.subarray(0, cut)]),
      () => reader.read([bytes.subarray(cut)]),
      reader.end
    ]) {
      if (over) break
      const heard = Result.getOrThrow(step())
      events.push(...heard.events)
      over = heard.over
    }
    return events
  }
  const readers: Record<string, (bytes: Uint8Array, cut: number) => ReadonlyArray<ModelEvent>> = {
    openai: (bytes, cut) => read(OpenAiChat.provider, bytes, cut),
    "openai-responses": (bytes, cut) => read(OpenAiResponses.provider(), bytes, cut),
    anthropic: (bytes, cut) => read(Anthropic.provider({ maxTokens: 1, thinkingBudget: 0 }), bytes, cut),
    gemini: (bytes, cut) => read(Gemini.provider(false), bytes, cut)
  }
  for (const dialect of dialects) {
    it(`hears the same: ${dialect.name}`, () => {
      const script = scripts.find(({ name }) => name === "thoughtful-call")
      const bytes = Buffer.from((script === undefined ? [] : dialect.frames(script)).join(""))
      const whole = readers[dialect.name]?.(bytes, 0)
      assert.isAbove(whole?.length ?? 0, 3)
      for (let cut = 1; cut <= bytes.length; cut++) assert.deepStrictEqual(readers[dialect.name]?.(bytes, cut), whole)
    })
  }
})
