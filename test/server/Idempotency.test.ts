import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Schema } from "effect"
import * as Agent from "../../src/agent/Agent.ts"
import * as Scripted from "../../src/model/Scripted.ts"
import * as ServerTool from "../../src/tool/ServerTool.ts"
import { ToolRegistry } from "../../src/tool/ToolRegistry.ts"
import { ask, openSession, says, testServer } from "../support/TestServer.ts"

const look = ServerTool.make({
  name: "look",
  description: "",
  input: Schema.Struct({}),
  handler: () => Effect.succeed("seen")
})
const agents = [Agent.make({ name: "agent", instructions: "", tools: ["look"] })]
const thoughtful = [
  Scripted.reply(Scripted.thinking("hm"), Scripted.text("Looking."), Scripted.call("look"), Scripted.call("nobody")),
  Scripted.text("Seen."),
  Scripted.text("Something else.")
]
const trusting = { agent: { name: "agent", tools: [{ name: "look", trust: true }] } }
const keyed = (id: string, key: string, body: object) =>
  ask(`/sessions/${id}/turns`, { body, headers: { "idempotency-key": key } })

const server = (model: Scripted.ScriptedModel) =>
  testServer({ model: model.layer, agents, tools: ToolRegistry.layer(look) })

describe("Idempotency-Key", () => {
  it.live.each(["none", "delta", "message"] as const)(
    "gives the first answer again, in mode %s, and runs nothing",
    (stream) => {
      const model = Scripted.make(thoughtful)
      return Effect.gen(function* () {
        const id = yield* openSession(trusting)
        const first = yield* keyed(id, "one", says("go", { stream }))
        const again = yield* keyed(id, "one", says("go", { stream }))
        assert.strictEqual(first.status, 200)
        const whole = (text: string) =>
          stream === "delta" ? text.replaceAll(/event: (text|thinking)_delta\n.*\n\n/g, "") : text
        assert.strictEqual(whole(again.text), whole(first.text))
        assert.strictEqual(model.requests.length, 2)
        const history = yield* ask(`/sessions/${id}/history?type=full`)
        assert.strictEqual(history.text.split('"content":"go"').length, 2)
        yield* keyed(id, "two", says("and?"))
        assert.strictEqual(whole((yield* keyed(id, "one", says("go", { stream }))).text), whole(first.text))
      }).pipe(Effect.provide(server(model)))
    }
  )

  it.live("tells again what came of granted, denied and answered calls, and nothing that the application said", () => {
    const model = Scripted.make([
      Scripted.reply(Scripted.call("look"), Scripted.call("mine"), Scripted.call("look")),
      Scripted.text("So.")
    ])
    return Effect.gen(function* () {
      const mine = { name: "mine", description: "", parameters: {} }
      const id = yield* openSession({ agent: { name: "agent", tools: [{ name: "look" }] }, tools: [mine] })
      yield* keyed(id, "one", says("go"))
      const answers = {
        messages: [
          { role: "tool_permission", toolCallId: "call_001", granted: true },
          { role: "tool", toolCallId: "call_002", content: "mine" },
          { role: "tool_permission", toolCallId: "call_003", granted: false, reason: "no" },
          { role: "user", content: "and?" }
        ]
      }
      const first = yield* keyed(id, "two", answers)
      assert.include(first.text, "seen")
      assert.notInclude(first.text, '"mine"')
      assert.strictEqual((yield* keyed(id, "two", answers)).text, first.text)
      const opened = yield* keyed(id, "one", says("go"))
      assert.include(opened.text, '"stopReason":"tool_use"')
    }).pipe(Effect.provide(server(model)))
  })

  it.live("joins the turn that runs", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const gate = yield* Deferred.make<void>()
      const model = Scripted.make([
        Scripted.reply(
          Scripted.wait(Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(gate))),
          Scripted.text("x")
        )
      ])
      yield* Effect.gen(function* () {
        const id = yield* openSession(trusting)
        const first = yield* Effect.forkChild(keyed(id, "one", says("go")))
        yield* Deferred.await(begun)
        const second = yield* Effect.forkChild(keyed(id, "one", says("go")))
        const other = yield* keyed(id, "two", says("go"))
        assert.strictEqual(other.status, 409)
        yield* Deferred.succeed(gate, undefined)
        assert.strictEqual((yield* Fiber.join(second)).text, (yield* Fiber.join(first)).text)
        assert.strictEqual(model.requests.length, 1)
      }).pipe(Effect.provide(server(model)))
    })
  )

  it.live("is refused for another body, and taken again by another session", () => {
    const model = Scripted.make(() => Scripted.text("x"))
    return Effect.gen(function* () {
      const id = yield* openSession(trusting)
      yield* keyed(id, "one", says("go"))
      const reused = yield* keyed(id, "one", says("stop"))
      assert.strictEqual(reused.status, 409)
      assert.include(reused.text, "idempotency_key_reused")
      const other = yield* openSession(trusting)
      assert.strictEqual((yield* keyed(other, "one", says("stop"))).status, 200)
    }).pipe(Effect.provide(server(model)))
  })

  it.live("makes one session, however often it is asked for", () => {
    const create = (body: object) => ask("/sessions", { body, headers: { "idempotency-key": "one" } })
    return Effect.gen(function* () {
      const first = yield* create(trusting)
      const again = yield* create(trusting)
      assert.deepStrictEqual([first.status, again.status, again.text], [201, 201, first.text])
      const other = yield* create({ agent: { name: "agent" } })
      assert.strictEqual(other.status, 409)
      assert.include(other.text, "idempotency_key_reused")
    }).pipe(Effect.provide(server(Scripted.make([]))))
  })

  it.live("is not used up by a refusal", () => {
    const model = Scripted.make(() => Scripted.text("x"))
    return Effect.gen(function* () {
      const id = yield* openSession(trusting)
      assert.strictEqual((yield* keyed(id, "one", says(" "))).status, 422)
      assert.strictEqual((yield* keyed(id, "one", says("go"))).status, 200)
    }).pipe(Effect.provide(server(model)))
  })

  it.live.each(["", "a b", "x".repeat(256)])("is refused as %j", (key) =>
    Effect.gen(function* () {
      const id = yield* openSession(trusting)
      const answer = yield* keyed(id, key, says("go"))
      assert.strictEqual(answer.status, 400)
      assert.include(answer.text, "Idempotency-Key")
    }).pipe(Effect.provide(server(Scripted.make([]))))
  )
})
