import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Agent from "../../src/agent/Agent.ts"
import * as Scripted from "../../src/model/Scripted.ts"
import * as ServerTool from "../../src/tool/ServerTool.ts"
import { ToolRegistry } from "../../src/tool/ToolRegistry.ts"
import { ask, openSession, says, takeTurn, testServer } from "../support/TestServer.ts"

const weather = "东京：18°C，多云"
const webSearch = ServerTool.make({
  name: "web_search",
  description: "Searches the web.",
  input: Schema.Struct({ query: Schema.String }),
  handler: () => Effect.succeed(weather)
})
const agent = Agent.make({ name: "agent", instructions: "", tools: ["web_search"] })
const getWeather = { name: "get_weather", description: "The weather.", parameters: { type: "object" } }

const run = (script: Scripted.Script) =>
  Effect.provide(testServer({ model: Scripted.layer(script), agents: [agent], tools: ToolRegistry.layer(webSearch) }))

const stream = (...events: ReadonlyArray<readonly [name: string, data: object]>) =>
  events.map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`).join("")

const search = Scripted.call("web_search", { query: "Tokyo weather today" })
const searchCall = { toolCallId: "call_001", name: "web_search", input: { query: "Tokyo weather today" } }
const trusted = { agent: { name: "agent", tools: [{ name: "web_search", trust: true }] } }
const untrusted = { agent: { name: "agent", tools: [{ name: "web_search" }] } }
const ask_ = says("东京天气怎么样？")

/** The exchanges that the protocol's source text shows, byte by byte. */
describe("the source text's exchanges", () => {
  it.live("a plain answer, mode delta", () =>
    Effect.gen(function* () {
      const id = yield* openSession()
      const { headers, text } = yield* takeTurn(id, { ...ask_, stream: "delta" })
      assert.strictEqual(headers.get("content-type"), "text/event-stream")
      assert.strictEqual(
        text,
        stream(
          ["turn_start", {}],
          ["text_delta", { delta: "东京的天气是 " }],
          ["text_delta", { delta: "18°C，多云。" }],
          ["turn_stop", { stopReason: "end_turn" }]
        )
      )
    }).pipe(run([Scripted.text("东京的天气是 ", "18°C，多云。")]))
  )

  it.live("a client tool, mode message, and the turn after it", () =>
    Effect.gen(function* () {
      const id = yield* openSession({ agent: { name: "agent" }, tools: [getWeather] })
      const first = yield* takeTurn(id, { ...ask_, stream: "message" })
      assert.strictEqual(
        first.text,
        stream(
          ["turn_start", {}],
          ["tool_call", { toolCallId: "call_001", name: "get_weather", input: { location: "Tokyo" } }],
          ["turn_stop", { stopReason: "tool_use" }]
        )
      )
      const answer = { role: "tool", toolCallId: "call_001", content: weather }
      const second = yield* takeTurn(id, { stream: "message", messages: [answer] })
      assert.strictEqual(
        second.text,
        stream(
          ["turn_start", {}],
          ["text", { text: "东京天气 18°C，多云。" }],
          ["turn_stop", { stopReason: "end_turn" }]
        )
      )
      const { json } = yield* ask(`/sessions/${id}/history?type=full`)
      assert.deepStrictEqual(json, {
        history: {
          full: [
            { role: "user", content: "东京天气怎么样？" },
            {
              role: "assistant",
              content: [{ type: "tool_use", toolCallId: "call_001", name: "get_weather", input: { location: "Tokyo" } }]
            },
            answer,
            { role: "assistant", content: "东京天气 18°C，多云。" }
          ]
        }
      })
    }).pipe(run([Scripted.call("get_weather", { location: "Tokyo" }), Scripted.text("东京天气", " 18°C，多云。")]))
  )

  it.live("a trusted server tool, mode delta", () =>
    Effect.gen(function* () {
      const id = yield* openSession(trusted)
      const { text } = yield* takeTurn(id, { ...ask_, stream: "delta" })
      assert.strictEqual(
        text,
        stream(
          ["turn_start", {}],
          ["tool_call", searchCall],
          ["tool_result", { toolCallId: "call_001", content: weather }],
          ["text_delta", { delta: "东京天气 18°C，多云。" }],
          ["turn_stop", { stopReason: "end_turn" }]
        )
      )
    }).pipe(run([search, Scripted.text("东京天气 18°C，多云。")]))
  )

  it.live("a plain answer, mode none, which is the default", () =>
    Effect.gen(function* () {
      const { headers, json } = yield* takeTurn(yield* openSession(), ask_)
      assert.strictEqual(headers.get("content-type"), "application/json")
      assert.deepStrictEqual(json, {
        stopReason: "end_turn",
        messages: [{ role: "assistant", content: "东京天气 18°C，多云。" }]
      })
    }).pipe(run([Scripted.text("东京天气 18°C，多云。")]))
  )

  it.live("with thinking, mode none and mode message", () =>
    Effect.gen(function* () {
      const id = yield* openSession()
      const { json } = yield* takeTurn(id, ask_)
      assert.deepStrictEqual(json, {
        stopReason: "end_turn",
        messages: [
          {
            role: "assistant",
            content: [
              { type: "thinking", thinking: "用户想知道东京天气。" },
              { type: "text", text: "东京天气 18°C，多云。" }
            ]
          }
        ]
      })
      const { text } = yield* takeTurn(id, { ...ask_, stream: "message" })
      assert.strictEqual(
        text,
        stream(
          ["turn_start", {}],
          ["thinking", { thinking: "用户想知道东京天气。" }],
          ["text", { text: "东京天气 18°C，多云。" }],
          ["turn_stop", { stopReason: "end_turn" }]
        )
      )
    }).pipe(
      run(() =>
        Scripted.reply(Scripted.thinking("用户想知道", "东京天气。"), Scripted.text("东京天气 18°C，", "多云。"))
      )
    )
  )

  it.live("a client tool, mode none", () =>
    Effect.gen(function* () {
      const id = yield* openSession({ agent: { name: "agent" }, tools: [getWeather] })
      const { json } = yield* takeTurn(id, ask_)
      assert.deepStrictEqual(json, {
        stopReason: "tool_use",
        messages: [
          {
            role: "assistant",
            content: [{ type: "tool_use", toolCallId: "call_001", name: "get_weather", input: { location: "Tokyo" } }]
          }
        ]
      })
    }).pipe(run([Scripted.call("get_weather", { location: "Tokyo" })]))
  )

  const searched = [
    { role: "assistant", content: [{ type: "tool_use", ...searchCall }] },
    { role: "tool", toolCallId: "call_001", content: weather },
    { role: "assistant", content: "东京天气 18°C，多云。" }
  ]

  it.live("a trusted server tool, mode none", () =>
    Effect.gen(function* () {
      const { json } = yield* takeTurn(yield* openSession(trusted), ask_)
      assert.deepStrictEqual(json, { stopReason: "end_turn", messages: searched })
    }).pipe(run([search, Scripted.text("东京天气 18°C，多云。")]))
  )

  it.live("an untrusted server tool, granted, mode none", () =>
    Effect.gen(function* () {
      const id = yield* openSession(untrusted)
      const first = yield* takeTurn(id, ask_)
      assert.deepStrictEqual(first.json, { stopReason: "tool_use", messages: searched.slice(0, 1) })
      const second = yield* takeTurn(id, {
        messages: [{ role: "tool_permission", toolCallId: "call_001", granted: true }]
      })
      assert.deepStrictEqual(second.json, { stopReason: "end_turn", messages: searched.slice(1) })
    }).pipe(run([search, Scripted.text("东京天气 18°C，多云。")]))
  )

  it.live("an untrusted server tool, denied with a reason", () =>
    Effect.gen(function* () {
      const id = yield* openSession(untrusted)
      yield* takeTurn(id, ask_)
      const { text } = yield* takeTurn(id, {
        stream: "delta",
        messages: [{ role: "tool_permission", toolCallId: "call_001", granted: false, reason: "用户拒绝" }]
      })
      assert.strictEqual(
        text,
        stream(
          ["turn_start", {}],
          ["tool_result", { toolCallId: "call_001", content: "Tool call denied: 用户拒绝" }],
          ["text_delta", { delta: "好的。" }],
          ["turn_stop", { stopReason: "end_turn" }]
        )
      )
      const { json } = yield* ask(`/sessions/${id}/history?type=full`)
      assert.notInclude(JSON.stringify(json), "tool_permission")
      assert.include(JSON.stringify(json), "Tool call denied: 用户拒绝")
    }).pipe(run([search, Scripted.text("好的。")]))
  )
})
