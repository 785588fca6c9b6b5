import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted, Result, Stream } from "effect"
import { HttpClient } from "effect/http"
import { make as entry } from "../../src/history/HistoryEntry.ts"
import * as AnswerReader from "../../src/model/AnswerReader.ts"
import { ChatModel, type ModelEvent, type ModelRequest } from "../../src/model/ChatModel.ts"
import * as OpenAiChat from "../../src/model/OpenAiChat.ts"
import { MockOpenAi } from "../support/openai/MockOpenAi.ts"
import { type Scenario, scenarios } from "../support/openai/scenarios.ts"

const request = (model: string): ModelRequest => ({
  model,
  system: "Be brief.",
  history: [entry({ role: "user", content: "hi" })],
  tools: [{ name: "look", description: "Looks.", parameters: { type: "object" } }]
})

/** What was heard, in the words of a scenario. */
const heard = (events: ReadonlyArray<ModelEvent>, error: string | undefined): Scenario["hears"] => {
  const join = (type: "text_delta" | "thinking_delta") =>
    events.map((event) => (event.type === type && "delta" in event ? event.delta : "")).join("")
  const calls = events.flatMap((event) => (event.type === "tool_call" ? [[event.name, event.arguments] as const] : []))
  const finish = events.find((event) => event.type === "finish")
  const usage = finish?.usage
  return {
    ...(join("text_delta") === "" ? {} : { text: join("text_delta") }),
    ...(join("thinking_delta") === "" ? {} : { thinking: join("thinking_delta") }),
    ...(calls.length === 0 ? {} : { calls }),
    ...(finish === undefined ? {} : { reason: finish.reason }),
    ...(usage === undefined || usage.inputTokens === 0
      ? {}
      : { usage: [usage.inputTokens, usage.outputTokens] as const }),
    ...(error === undefined ? {} : { error: error as NonNullable<Scenario["hears"]["error"]> })
  }
}

const listen = Effect.fnUntraced(function* (model: string) {
  const events: Array<ModelEvent> = []
  const chat = yield* ChatModel
  const exit = yield* Effect.result(
    Stream.runForEach(chat.stream(request(model)), (event) => Effect.sync(() => void events.push(event)))
  )
  return { events, error: Result.isFailure(exit) ? exit.failure : undefined }
})

const chat = Layer.unwrap(
  Effect.map(MockOpenAi, ({ baseUrl }) =>
    OpenAiChat.layer({ baseUrl: `${baseUrl}/`, apiKey: Redacted.make("key"), idleTimeout: "300 millis" })
  )
).pipe(Layer.provideMerge(Layer.merge(MockOpenAi.layer, NodeHttpClient.layerNodeHttp)))

describe("OpenAiChat", () => {
  layer(chat, { excludeTestServices: true })("over a socket", (it) => {
    for (const { hears, name } of scenarios) {
      it.effect(name, () =>
        Effect.gen(function* () {
          const { error, events } = yield* listen(name)
          assert.deepStrictEqual(heard(events, error?.reason), hears)
          assert.isTrue(error !== undefined || events.at(-1)?.type === "finish")
          assert.strictEqual(events.filter((event) => event.type === "finish").length, error === undefined ? 1 : 0)
        })
      )
    }

    it.effect("passes on how long to wait", () =>
      Effect.gen(function* () {
        const { error } = yield* listen("status 429")
        assert.strictEqual(error?.retryAfterMillis, 7000)
        assert.strictEqual(error?.retryable, true)
      })
    )

    it.effect("tells a server that is not there from one that answers", () =>
      Effect.gen(function* () {
        const { error } = yield* listen("plain").pipe(
          Effect.provide(OpenAiChat.layer({ baseUrl: "http://127.0.0.1:1" }))
        )
        assert.strictEqual(error?.reason, "network")
        assert.strictEqual(error?.retryable, true)
      })
    )

    it.effect("cuts the connection when it is interrupted", () =>
      Effect.gen(function* () {
        const { baseUrl } = yield* MockOpenAi
        const client = yield* HttpClient.HttpClient
        const chat = yield* ChatModel
        const fiber = yield* Stream.runDrain(chat.stream(request("silence-after-some-text"))).pipe(
          Effect.provide(OpenAiChat.layer({ baseUrl, idleTimeout: "1 hour" })),
          Effect.forkChild
        )
        yield* Stream.runHead(chat.stream(request("plain")))
        yield* Fiber.interrupt(fiber)
        const response = yield* client.get(`${baseUrl}/aborted`)
        assert.isAbove(Number(yield* response.text), 0)
      })
    )
  })

  describe("cut at every byte", () => {
    const readable = scenarios.filter(
      ({ ends, headers, status }) => ends === undefined && status === undefined && headers === undefined
    )
    for (const { hears, name, pieces } of readable) {
      it(name, () => {
        const bytes = Buffer.concat(pieces.map((piece) => Buffer.from(piece)))
        for (let cut = 0; cut <= bytes.length; cut++) {
          const { state } = OpenAiChat.provider.encode(request("m"))
          const reader = AnswerReader.make(OpenAiChat.provider, state, false)
          const events: Array<ModelEvent> = []
          let error: string | undefined
          let over = false
          const take = (result: Result.Result<AnswerReader.Heard, { readonly reason: string }>) => {
            if (Result.isFailure(result)) error = result.failure.reason
            else {
              events.push(...result.success.events)
              over = result.success.over
            }
          }
          for (const step of [
            () => reader.read([bytes.subarray(0, cut)]),
            () => reader.read([bytes.subarray(cut)]),
            reader.end,
            reader.end
          ]) {
            if (error === undefined && !over) take(step())
          }
          assert.deepStrictEqual(heard(events, error), hears, `cut at ${cut}`)
        }
      })
    }
  })
})
