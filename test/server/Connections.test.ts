import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Logger, Schema, Scope } from "effect"
import * as Agent from "../../src/agent/Agent.ts"
import * as Scripted from "../../src/model/Scripted.ts"
import { ActiveTurns } from "../../src/server/ActiveTurns.ts"
import * as ServerTool from "../../src/tool/ServerTool.ts"
import { ToolRegistry } from "../../src/tool/ToolRegistry.ts"
import { rawTurn } from "../support/RawTurn.ts"
import { ask, openSession, says, takeTurn, testServer } from "../support/TestServer.ts"

const tick = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

/** Waits until so many turns run. */
const turns = (number: number) =>
  Effect.flatMap(ActiveTurns, ({ count }) => count).pipe(
    Effect.tap(() => tick),
    Effect.repeat({ until: (count) => count === number })
  )
const noTurns = turns(0)

const history = (id: string) =>
  Effect.map(
    ask(`/sessions/${id}/history?type=full`),
    ({ json }) => (json as { history: { full: ReadonlyArray<unknown> } }).history.full
  )

/** A gate, and whether whoever waited at it was sent away. */
const makeGate = Effect.gen(function* () {
  const open = yield* Deferred.make<void>()
  const abandoned = yield* Deferred.make<void>()
  const pass = Deferred.await(open).pipe(Effect.onInterrupt(() => Deferred.succeed(abandoned, undefined)))
  return { pass, open: Deferred.succeed(open, undefined), abandoned: Deferred.await(abandoned) }
})

const user = { role: "user", content: "hi" }
const delta = says("hi", { stream: "delta" })

describe("a client that leaves", () => {
  it.live("in the middle of a stream: the model is left, what was said is kept, the next turn works", () =>
    Effect.gen(function* () {
      const gate = yield* makeGate
      const model = Scripted.layer([
        Scripted.reply(
          Scripted.thinking("hm"),
          Scripted.text("Half a sen"),
          Scripted.wait(gate.pass),
          Scripted.text("tence")
        ),
        Scripted.text("Again.")
      ])
      yield* Effect.gen(function* () {
        const id = yield* openSession()
        const turn = yield* rawTurn(id, delta)
        yield* turn.until("Half a sen")
        turn.socket.resetAndDestroy()
        yield* gate.abandoned
        yield* noTurns
        const partial = {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "hm" },
            { type: "text", text: "Half a sen" }
          ]
        }
        assert.deepStrictEqual(yield* history(id), [user, partial])
        const { json } = yield* takeTurn(id, says("hi"))
        assert.deepStrictEqual(json, { stopReason: "end_turn", messages: [{ role: "assistant", content: "Again." }] })
      }).pipe(Effect.provide(testServer({ model })))
    })
  )

  it.live("while it waits for one JSON body", () =>
    Effect.gen(function* () {
      const gate = yield* makeGate
      const begun = yield* Deferred.make<void>()
      const model = Scripted.layer([
        Scripted.reply(
          Scripted.text("Half"),
          Scripted.wait(Deferred.succeed(begun, undefined)),
          Scripted.wait(gate.pass)
        )
      ])
      yield* Effect.gen(function* () {
        const id = yield* openSession()
        const turn = yield* rawTurn(id, says("hi"))
        yield* Deferred.await(begun)
        turn.socket.destroy()
        yield* gate.abandoned
        yield* noTurns
        assert.deepStrictEqual(yield* history(id), [user, { role: "assistant", content: "Half" }])
      }).pipe(Effect.provide(testServer({ model })))
    })
  )

  it.live("while tools run: those that are done are kept, the others closed, and no further one starts", () =>
    Effect.gen(function* () {
      const gate = yield* makeGate
      const tool = (name: string, run: Effect.Effect<unknown>) =>
        ServerTool.make({ name, description: "", input: Schema.Struct({}), handler: () => run })
      const tools = ToolRegistry.layer(tool("quick", Effect.succeed("done")), tool("slow", gate.pass))
      const agents = [Agent.make({ name: "agent", instructions: "", tools: ["quick", "slow"] })]
      const model = Scripted.layer([
        Scripted.reply(Scripted.call("quick"), Scripted.call("slow"), Scripted.call("mine")),
        Scripted.text("Well.")
      ])
      yield* Effect.gen(function* () {
        const id = yield* openSession({
          agent: {
            name: "agent",
            tools: [
              { name: "quick", trust: true },
              { name: "slow", trust: true }
            ]
          },
          tools: [{ name: "mine", description: "", parameters: {} }]
        })
        const turn = yield* rawTurn(id, delta)
        yield* turn.until("tool_result")
        turn.socket.resetAndDestroy()
        yield* gate.abandoned
        yield* noTurns
        const [, , ...results] = yield* history(id)
        assert.deepStrictEqual(results, [
          { role: "tool", toolCallId: "call_001", content: "done" },
          {
            role: "tool",
            toolCallId: "call_002",
            content: "Tool call interrupted: the turn ended while the tool was running, so it may have taken effect."
          },
          { role: "tool", toolCallId: "call_003", content: "Tool call not run: the turn ended first." }
        ])
        const { json } = yield* takeTurn(id, says("hi"))
        assert.strictEqual((json as { stopReason: string }).stopReason, "end_turn")
      }).pipe(Effect.provide(testServer({ agents, model, tools })))
    })
  )

  it.live("of an agent that goes on without it", () =>
    Effect.gen(function* () {
      const gate = yield* makeGate
      const agents = [Agent.make({ name: "agent", instructions: "", onDisconnect: "continue" })]
      const model = Scripted.layer([
        Scripted.reply(Scripted.text("To be "), Scripted.wait(gate.pass), Scripted.text("continued"))
      ])
      yield* Effect.gen(function* () {
        const id = yield* openSession()
        const turn = yield* rawTurn(id, delta)
        yield* turn.until("To be")
        turn.socket.resetAndDestroy()
        yield* turn.closed
        assert.strictEqual((yield* takeTurn(id, says("hi"))).status, 409)
        yield* gate.open
        yield* noTurns
        assert.deepStrictEqual(yield* history(id), [user, { role: "assistant", content: "To be continued" }])
      }).pipe(Effect.provide(testServer({ agents, model })))
    })
  )

  it.live("a thousand times leaves nothing behind", () =>
    Effect.gen(function* () {
      const model = Scripted.layer(() => Scripted.reply(Scripted.text("x"), Scripted.wait(Effect.never)))
      yield* Effect.gen(function* () {
        const kinds = () => {
          const active = process.getActiveResourcesInfo()
          return {
            timers: active.filter((kind) => kind === "Timeout").length,
            sockets: active.filter((kind) => kind.startsWith("TCPSocket")).length
          }
        }
        yield* takeTurn("nobody", says("hi"))
        const before = kinds()
        const cycle = Effect.scoped(
          Effect.gen(function* () {
            const id = yield* openSession()
            const turn = yield* rawTurn(id, delta)
            yield* turn.until("text_delta")
            turn.socket.resetAndDestroy()
          })
        )
        yield* Effect.forEach(Array.from({ length: 1000 }), () => cycle, { concurrency: 20, discard: true })
        yield* noTurns
        const settled = () => kinds().timers <= before.timers + 5 && kinds().sockets <= before.sockets + 25
        yield* Effect.repeat(tick, { until: settled })
      }).pipe(Effect.provide(testServer({ model })))
    })
  )
})

describe("a client that stays", () => {
  it.live("but reads nothing is cut off, and its turn ended", () =>
    Effect.gen(function* () {
      const flood = Scripted.text(...Array.from({ length: 3000 }, () => "x".repeat(20_000)))
      const model = Scripted.layer((_, index) => (index === 0 ? flood : Scripted.text("Again.")))
      yield* Effect.gen(function* () {
        const id = yield* openSession()
        yield* rawTurn(id, delta, true)
        yield* turns(1)
        yield* noTurns
        const { json } = yield* takeTurn(id, says("hi"))
        assert.strictEqual((json as { stopReason: string }).stopReason, "end_turn")
      }).pipe(Effect.provide(testServer({ model, server: { stallTimeout: "300 millis" } })))
    })
  )

  it.live("hears a comment when there is nothing else to hear", () =>
    Effect.gen(function* () {
      const gate = yield* makeGate
      const model = Scripted.layer([Scripted.reply(Scripted.wait(gate.pass), Scripted.text("At last."))])
      yield* Effect.gen(function* () {
        const turn = yield* rawTurn(yield* openSession(), delta)
        const early = yield* turn.until(": heartbeat\n\n")
        assert.include(early, "event: turn_start\ndata: {}\n\n")
        yield* gate.open
        const text = yield* turn.closed
        assert.include(text, "At last.")
        assert.include(text, "turn_stop")
      }).pipe(Effect.provide(testServer({ model, server: { heartbeat: "30 millis" } })))
    })
  )

  it.live("hears turn_start before the model has answered", () =>
    Effect.gen(function* () {
      const model = Scripted.layer([Scripted.wait(Effect.never)])
      yield* Effect.gen(function* () {
        const turn = yield* rawTurn(yield* openSession(), delta)
        yield* turn.until("turn_start")
      }).pipe(Effect.provide(testServer({ model })))
    })
  )
})

describe("one session", () => {
  it.live("takes one turn at a time, and the next as soon as it has heard turn_stop", () =>
    Effect.gen(function* () {
      const gate = yield* makeGate
      const model = Scripted.layer((_, index) => (index === 0 ? Scripted.wait(gate.pass) : Scripted.text("x")))
      yield* Effect.gen(function* () {
        const id = yield* openSession()
        const turn = yield* rawTurn(id, delta)
        yield* turn.until("turn_start")
        const second = yield* takeTurn(id, says("hi"))
        assert.strictEqual(second.status, 409)
        assert.include(second.text, "turn_in_progress")
        yield* gate.open
        yield* turn.until("turn_stop")
        for (let round = 0; round < 20; round++) {
          const next = yield* rawTurn(id, delta)
          const heard = yield* next.until("turn_stop")
          assert.include(heard, "HTTP/1.1 200")
        }
        const raced = yield* Effect.forEach([1, 2, 3, 4, 5], () => takeTurn(id, says("hi")), {
          concurrency: "unbounded"
        })
        assert.isAbove(raced.filter(({ status }) => status === 200).length, 0)
        assert.isTrue(raced.every(({ status }) => status === 200 || status === 409))
        const said = (yield* history(id)).filter((message) => (message as { role: string }).role === "user")
        assert.strictEqual(said.length, 21 + raced.filter(({ status }) => status === 200).length)
      }).pipe(Effect.provide(testServer({ model })))
    })
  )

  it.live("can be deleted while a turn runs on it", () =>
    Effect.gen(function* () {
      const gate = yield* makeGate
      const model = Scripted.layer([Scripted.reply(Scripted.text("x"), Scripted.wait(gate.pass))])
      yield* Effect.gen(function* () {
        const id = yield* openSession()
        const turn = yield* rawTurn(id, delta)
        yield* turn.until("text_delta")
        assert.strictEqual((yield* ask(`/sessions/${id}`, { method: "DELETE" })).status, 204)
        yield* gate.open
        const heard = yield* turn.closed
        assert.include(heard, 'event: turn_stop\ndata: {"stopReason":"error"}')
        assert.strictEqual((yield* ask(`/sessions/${id}`)).status, 404)
        yield* noTurns
      }).pipe(Effect.provide(testServer({ model })))
    })
  )
})

describe("a server that ends", () => {
  const build = (server: ReturnType<typeof testServer>, scope: Scope.Scope) => Layer.buildWithScope(server, scope)

  it.live("lets running turns finish, and takes no new ones", () =>
    Effect.gen(function* () {
      const gate = yield* makeGate
      const model = Scripted.layer([
        Scripted.reply(Scripted.text("To the "), Scripted.wait(gate.pass), Scripted.text("end"))
      ])
      const scope = yield* Scope.make()
      const services = yield* build(testServer({ model, server: { drainTimeout: "1 minute" } }), scope)
      yield* Effect.gen(function* () {
        const id = yield* openSession()
        const other = yield* openSession()
        const turn = yield* rawTurn(id, delta)
        yield* turn.until("To the")
        const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
        const refused = yield* takeTurn(other, says("hi")).pipe(
          Effect.repeat({ until: ({ status }) => status !== 200 })
        )
        assert.strictEqual(refused.status, 503)
        assert.include(refused.text, "shutting_down")
        assert.isNotNull(refused.headers.get("retry-after"))
        yield* gate.open
        assert.include(yield* turn.closed, 'turn_stop\ndata: {"stopReason":"end_turn"}')
        yield* Fiber.join(closing)
      }).pipe(Effect.provideContext(services))
    })
  )

  it.live("ends at its deadline what does not, and tells its clients", () =>
    Effect.gen(function* () {
      const model = Scripted.layer(() =>
        Scripted.reply(Scripted.text("For"), Scripted.call("mine"), Scripted.wait(Effect.never))
      )
      const scope = yield* Scope.make()
      const services = yield* build(testServer({ model, server: { drainTimeout: "50 millis" } }), scope)
      yield* Effect.gen(function* () {
        const id = yield* openSession({
          agent: { name: "agent" },
          tools: [{ name: "mine", description: "", parameters: {} }]
        })
        const turn = yield* rawTurn(id, delta)
        yield* turn.until("tool_call")
        const whole = yield* Effect.forkChild(takeTurn(yield* openSession(), says("hi")))
        yield* turns(2)
        const logged: Array<unknown> = []
        const logger = Logger.make(({ message }) => void logged.push(message))
        yield* Effect.provide(Scope.close(scope, Exit.void), Logger.layer([logger]))
        assert.includeDeepMembers(logged, [
          ["the server ends, and waits for 2 turns"],
          ["2 turns did not end in time, and are cut off"]
        ])
        const heard = yield* turn.closed
        assert.strictEqual(heard.match(/turn_stop/g)?.length, 1)
        assert.match(
          heard,
          /event: tool_result\ndata: \{"toolCallId":"call_\d+","content":"Tool call not run[^\n]*\n\nevent: turn_stop\ndata: \{"stopReason":"error"\}/
        )
        const { json, status } = yield* Fiber.join(whole)
        assert.strictEqual(status, 200)
        assert.strictEqual((json as { stopReason: string }).stopReason, "error")
      }).pipe(Effect.provideContext(services))
    })
  )
})
