import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { make } from "../../src/history/HistoryEntry.ts"
import { ChatModel } from "../../src/model/ChatModel.ts"
import * as Demo from "../../src/model/Demo.ts"
import { replyTo } from "../../src/model/DemoScript.ts"
import { HistoryMessage } from "../../src/protocol/Message.ts"
import { ToolSpec } from "../../src/protocol/Tool.ts"

const spec = (name: string, parameters = {}): ToolSpec => ({ name, description: "", parameters })
const weather = spec("get_weather", { type: "object", required: ["city"] })
const ask = (text: string, tools: ReadonlyArray<ToolSpec> = [], before: ReadonlyArray<HistoryMessage> = []) =>
  replyTo({ history: [...before, { role: "user", content: text } as const].map(make), tools })

describe("Demo", () => {
  it.each([
    { asks: "What time is it?", calls: [["current_time", "{}"]] },
    { asks: "what time is it in Asia/Tokyo?", calls: [["current_time", '{"timeZone":"Asia/Tokyo"}']] },
    { asks: "How is the weather in New York?", calls: [["get_weather", '{"city":"New York"}']] },
    {
      asks: "time and weather in Oslo",
      calls: [
        ["current_time", "{}"],
        ["get_weather", '{"city":"Oslo"}']
      ]
    },
    { asks: "fetch https://example.test/a?b=c", calls: [["web_fetch", '{"url":"https://example.test/a?b=c"}']] },
    { asks: 'call whatever with {"a": [1]}', calls: [["whatever", '{"a": [1]}']] },
    { asks: "call whatever", calls: [["whatever", "{}"]] }
  ])("calls its tools when asked: $asks", ({ asks, calls }) => {
    const reply = ask(asks, [spec("current_time"), weather, spec("web_fetch")])
    assert.deepStrictEqual(
      reply.calls?.map((call) => [call.name, call.arguments]),
      calls
    )
  })

  it.each([
    { asks: "fail", ends: "fail" },
    { asks: "fail midway", ends: "fail midway" },
    { asks: "please refuse", ends: "refusal" },
    { asks: "max tokens", ends: "length" }
  ])("ends as asked: $asks", ({ asks, ends }) => {
    assert.strictEqual(ask(asks).ends, ends)
  })

  it("says that it is a demo, and what it can do", () => {
    assert.include(ask("hello").text ?? "", "demo")
    assert.include(ask("help").text ?? "", "demo")
    assert.include(ask("weather in Rome").text ?? "", "I have no tool")
    assert.strictEqual(ask("long 50").text?.split(" ").length, 50)
  })

  it("remembers, and counts images", () => {
    const before: ReadonlyArray<HistoryMessage> = [{ role: "user", content: "my name is Ada." }]
    assert.include(ask("what is my name?", [], before).text ?? "", "Ada")
    const image = { type: "image", url: "https://example.test/a.png" } as const
    const reply = replyTo({
      history: [make({ role: "user", content: [image, { type: "text", text: "see" }] })],
      tools: []
    })
    assert.include(reply.text ?? "", "an image")
  })

  it("sums up what the tools said, and never calls again", () => {
    const before: ReadonlyArray<HistoryMessage> = [
      { role: "user", content: "weather in Oslo" },
      { role: "assistant", content: [{ type: "tool_use", toolCallId: "c", name: "get_weather", input: {} }] },
      { role: "tool", toolCallId: "c", content: "Tool call denied" }
    ]
    const reply = replyTo({ history: before.map(make), tools: [weather] })
    assert.strictEqual(reply.calls, undefined)
    assert.strictEqual(reply.text, "get_weather says: Tool call denied")
  })

  it.effect("streams at its pace", () =>
    Effect.gen(function* () {
      const model = yield* ChatModel
      const history = [make({ role: "user", content: "long 10" })]
      const heard: Array<string> = []
      const fiber = yield* model.stream({ model: "", system: "", history, tools: [] }).pipe(
        Stream.runForEach((event) => Effect.sync(() => heard.push(event.type))),
        Effect.forkChild
      )
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(heard.length, 5)
      yield* TestClock.adjust("6 seconds")
      yield* Fiber.join(fiber)
      assert.strictEqual(heard.at(-1), "finish")
    }).pipe(Effect.provide(Demo.layer({ pace: "1 second" })))
  )

  it("summarises, and remembers what it summarised", () => {
    const summary = ask(
      "Summarise the conversation.\n\n<conversation>\nUser: My name is Ada.\n\nAssistant: Hi.\n</conversation>"
    )
    assert.strictEqual(summary.text, "The user said: My name is Ada.")
    const more = ask(`Summarise the conversation.\n\n${summary.text}\n\nUser: And hello.`)
    assert.strictEqual(more.text, "The user said: My name is Ada.\nThe user said: And hello.")
    const before = [{ role: "user", content: `[Summary]\n\n${more.text}` } as const]
    assert.strictEqual(ask("What is my name?", [], before).text, "Your name is Ada.")
  })

  it.prop(
    "has an answer for any conversation",
    [Schema.Array(HistoryMessage), Schema.Array(ToolSpec)],
    ([messages, tools]) => {
      const { calls = [], ends, text = "" } = replyTo({ history: messages.map(make), tools })
      assert.isTrue(text !== "" || calls.length > 0 || ends !== undefined)
    },
    { arbitrary: { runs: 500 } }
  )
})
