import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Result, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as Agent from "../../src/agent/Agent.ts"
import { AgentCatalog } from "../../src/agent/AgentCatalog.ts"
import { Ids } from "../../src/history/Ids.ts"
import * as Pairing from "../../src/history/Pairing.ts"
import * as Transcript from "../../src/history/Transcript.ts"
import * as Scripted from "../../src/model/Scripted.ts"
import { type CreateSession, SessionId } from "../../src/protocol/Session.ts"
import type { TurnRequest } from "../../src/protocol/Turn.ts"
import type { TurnEvent } from "../../src/protocol/TurnEvent.ts"
import * as MemorySessionStore from "../../src/session/MemorySessionStore.ts"
import { Principal } from "../../src/session/Session.ts"
import { SessionStore, StoreError } from "../../src/session/SessionStore.ts"
import * as ServerTool from "../../src/tool/ServerTool.ts"
import { ToolRegistry } from "../../src/tool/ToolRegistry.ts"
import * as NewSession from "../../src/turn/NewSession.ts"
import { DenialText, TurnRunner } from "../../src/turn/TurnRunner.ts"

const owner = Principal.make("tester")
const id = SessionId.make("sess_1")

const search = ServerTool.make({
  name: "search",
  description: "",
  input: Schema.Struct({ query: Schema.String }),
  handler: ({ query }) => Effect.succeed(`found ${query}`)
})
const hidden = ServerTool.make({
  name: "lookup",
  description: "",
  input: Schema.Struct({}),
  handler: () => Effect.succeed("seen"),
  hidden: true
})
const agent = Agent.make({
  name: "agent",
  instructions: ({ tone }) => `Be ${tone}.`,
  model: ({ model }) => model ?? "",
  tools: ["search", "lookup"],
  options: [
    { type: "text", name: "tone", default: "kind" },
    { type: "text", name: "model", default: "small" }
  ],
  stepLimit: 3
})

const ids = Layer.sync(Ids, () => {
  let count = 0
  return { next: () => `call_${++count}` }
})

const layer = (model: Scripted.ScriptedModel, store: Layer.Layer<SessionStore> = MemorySessionStore.layer()) =>
  TurnRunner.layer.pipe(
    Layer.provideMerge(AgentCatalog.layer(agent)),
    Layer.provideMerge(ToolRegistry.layer(search, hidden)),
    Layer.provideMerge(Layer.mergeAll(model.layer, store, ids))
  )

const open = Effect.fnUntraced(function* (request: Partial<CreateSession> = {}) {
  const cataloged = (yield* AgentCatalog).get("agent")
  if (cataloged === undefined) return yield* Effect.die("no agent")
  const made = Result.getOrThrow(NewSession.make(cataloged, id, { agent: { name: "agent" }, ...request }))
  yield* (yield* SessionStore).create(owner, made.session, made.history)
})

const run = Effect.fnUntraced(function* (request: TurnRequest) {
  const turn = yield* (yield* TurnRunner).accept(owner, id, request)
  return yield* Stream.runCollect(turn.events)
})

const user = (content: string): TurnRequest => ({ messages: [{ role: "user", content }] })
const stopReason = (events: ReadonlyArray<TurnEvent>) => {
  const last = events.at(-1)
  return last?.event === "turn_stop" ? last.data.stopReason : undefined
}
const results = (events: ReadonlyArray<TurnEvent>) =>
  events.flatMap((event) => (event.event === "tool_result" ? [event.data.content] : []))
const history = Effect.flatMap(SessionStore, (store) =>
  Effect.map(store.history(owner, id), (entries) => entries.map((entry) => entry.message))
)
const trusted = { agent: { name: "agent", tools: [{ name: "search", trust: true }] } }
const asking = { agent: { name: "agent", tools: [{ name: "search" }] } }
const call = Scripted.call("search", { query: "x" })

describe("TurnRunner", () => {
  it.effect("stops at the step limit, every call closed", () =>
    Effect.gen(function* () {
      const model = Scripted.make(() => call)
      yield* Effect.gen(function* () {
        yield* open(trusted)
        const events = yield* run(user("go"))
        assert.strictEqual(stopReason(events), "error")
        assert.strictEqual(model.requests.length, 3)
        assert.deepStrictEqual(results(events), ["found x", "found x", "found x"])
        assert.deepStrictEqual(yield* history, [{ role: "user", content: "go" }, ...Transcript.fold(events)])
      }).pipe(Effect.provide(layer(model)))
    })
  )

  it.effect.each([
    { reply: Scripted.fail({ reason: "context_overflow" }), stop: "max_tokens" },
    { reply: Scripted.fail({ reason: "refused" }), stop: "refusal" },
    { reply: Scripted.fail({ reason: "unauthorized" }), stop: "error" },
    {
      reply: Scripted.reply(Scripted.text("x"), Scripted.fail({ reason: "overloaded", retryable: true })),
      stop: "error"
    },
    { reply: Scripted.reply(Scripted.text("x"), Scripted.end), stop: "error" },
    { reply: Scripted.reply(Scripted.text("x"), Scripted.finish("length")), stop: "max_tokens" },
    { reply: Scripted.reply(Scripted.text("x"), Scripted.finish("refusal")), stop: "refusal" },
    { reply: Scripted.reply(Scripted.text("x"), Scripted.finish("stop")), stop: "end_turn" },
    { reply: Scripted.call("search", "{"), stop: "end_turn" }
  ])("stops with $stop", ({ reply, stop }) =>
    Effect.gen(function* () {
      const model = Scripted.make((_, index) => (index === 0 ? reply : Scripted.text("so")))
      yield* Effect.gen(function* () {
        yield* open(trusted)
        assert.strictEqual(stopReason(yield* run(user("go"))), stop)
      }).pipe(Effect.provide(layer(model)))
    })
  )

  it.effect("goes on after a refusal, whatever the model said or called before it", () =>
    Effect.gen(function* () {
      const model = Scripted.make([
        Scripted.reply(Scripted.text("I can't."), call, Scripted.finish("refusal")),
        Scripted.fail({ reason: "refused" }),
        Scripted.text("Gladly.")
      ])
      yield* Effect.gen(function* () {
        yield* open(trusted)
        const refused = yield* run(user("one"))
        assert.strictEqual(stopReason(refused), "refusal")
        assert.deepStrictEqual(results(refused), ["Tool call not run: the turn ended first."])
        assert.strictEqual(stopReason(yield* run(user("two"))), "refusal")
        assert.strictEqual(stopReason(yield* run(user("three"))), "end_turn")
        assert.deepStrictEqual(
          (yield* history).map(({ role }) => role),
          ["user", "assistant", "tool", "user", "user", "assistant"]
        )
        assert.isTrue(Result.isSuccess(Pairing.openCalls(yield* history)))
      }).pipe(Effect.provide(layer(model)))
    })
  )

  it.effect("asks a model that failed early again, and nobody notices", () =>
    Effect.gen(function* () {
      const model = Scripted.make([Scripted.fail({ reason: "overloaded", retryable: true }), Scripted.text("hello")])
      yield* Effect.gen(function* () {
        yield* open()
        const fiber = yield* Effect.forkChild(run(user("go")))
        yield* Effect.repeat(TestClock.adjust("1 second"), { until: () => fiber.pollUnsafe() !== undefined })
        const events = yield* Fiber.join(fiber)
        assert.deepStrictEqual(
          events.map(({ event }) => event),
          ["turn_start", "text_delta", "text", "turn_stop"]
        )
      }).pipe(Effect.provide(layer(model)))
    })
  )

  it.effect("mixes every kind of call in one step, and goes on once all are answered", () =>
    Effect.gen(function* () {
      const model = Scripted.make([
        Scripted.reply(
          Scripted.text("Working."),
          Scripted.call("mine", { a: 1 }),
          Scripted.call("lookup"),
          Scripted.call("search", { query: "x" }),
          Scripted.call("search", { wrong: true }),
          Scripted.call("nothing")
        ),
        Scripted.text("Done.")
      ])
      yield* Effect.gen(function* () {
        yield* open({ ...asking, tools: [{ name: "mine", description: "", parameters: {} }] })
        const first = yield* run(user("go"))
        assert.deepStrictEqual(
          first.map(({ event }) => event),
          [
            "turn_start",
            "text_delta",
            "text",
            "tool_call",
            "tool_call",
            "tool_call",
            "tool_call",
            "tool_call",
            "tool_result",
            "tool_result",
            "tool_result",
            "turn_stop"
          ]
        )
        assert.deepStrictEqual(results(first), [
          "seen",
          "The input of search does not fit. query: Missing key",
          "There is no tool named nothing. The tools are: mine, search, lookup."
        ])
        assert.strictEqual(stopReason(first), "tool_use")
        const second = yield* run({
          messages: [
            { role: "user", content: "and?" },
            { role: "tool_permission", toolCallId: "call_3", granted: true },
            { role: "tool", toolCallId: "call_1", content: "mine" }
          ]
        })
        assert.deepStrictEqual(
          second.map(({ event }) => event),
          ["turn_start", "tool_result", "text_delta", "text", "turn_stop"]
        )
        assert.deepStrictEqual(results(second), ["found x"])
        const order = (yield* history)
          .slice(2)
          .map((message) => (message.role === "tool" ? message.toolCallId : message.role))
        assert.deepStrictEqual(order, ["call_2", "call_4", "call_5", "call_1", "call_3", "user", "assistant"])
      }).pipe(Effect.provide(layer(model)))
    })
  )

  it.effect("keeps overrides for the session, the model's name and the instructions among them", () =>
    Effect.gen(function* () {
      const model = Scripted.make(() => Scripted.text("x"))
      yield* Effect.gen(function* () {
        yield* open()
        const mine = { name: "mine", description: "", parameters: {} }
        const tools = [{ name: "search", trust: true }]
        yield* run({ ...user("one"), agent: { options: { model: "large" }, tools }, tools: [mine] })
        yield* run({ ...user("two"), agent: { options: { tone: "dry" } } })
        yield* run({ ...user("three"), agent: { tools: [] }, tools: [] })
        const asked = model.requests.map(({ model, system, tools }) => [model, system, tools.map(({ name }) => name)])
        assert.deepStrictEqual(asked, [
          ["large", "Be kind.", ["mine", "search", "lookup"]],
          ["large", "Be dry.", ["mine", "search", "lookup"]],
          ["large", "Be dry.", ["lookup"]]
        ])
      }).pipe(Effect.provide(layer(model)))
    })
  )

  it.effect("fixes whose a call is when it is announced", () =>
    Effect.gen(function* () {
      const model = Scripted.make([call, Scripted.text("x")])
      yield* Effect.gen(function* () {
        yield* open(asking)
        yield* run(user("go"))
        const events = yield* run({
          agent: { tools: [] },
          tools: [{ name: "search", description: "the application's own", parameters: {} }],
          messages: [{ role: "tool_permission", toolCallId: "call_1", granted: true }]
        })
        assert.deepStrictEqual(results(events), ["found x"])
      }).pipe(Effect.provide(layer(model)))
    })
  )

  it.effect("runs no seeded call of a tool that is off, whatever is granted", () =>
    Effect.gen(function* () {
      const model = Scripted.make(() => Scripted.text("x"))
      const seeded = (name: string) => ({ type: "tool_use", toolCallId: name, name, input: { query: "x" } }) as const
      yield* Effect.gen(function* () {
        yield* open({ messages: [{ role: "assistant", content: [seeded("search"), seeded("lookup")] }] })
        const grant = (toolCallId: string) => ({ role: "tool_permission", toolCallId, granted: true }) as const
        const events = yield* run({
          agent: { tools: [{ name: "search" }] },
          messages: [grant("search"), grant("lookup")]
        })
        assert.deepStrictEqual(results(events), [
          "Tool call not run: the tool search is not switched on in this session.",
          "Tool call not run: the tool lookup is not switched on in this session."
        ])
      }).pipe(Effect.provide(layer(model)))
    })
  )

  it.effect("denies in the words that it is given", () =>
    Effect.gen(function* () {
      const model = Scripted.make([call, Scripted.text("x")])
      const wording = Layer.succeed(DenialText, (reason: string | undefined) => `工具调用被拒绝：${reason}`)
      yield* Effect.gen(function* () {
        yield* open(asking)
        yield* run(user("go"))
        const deny = { role: "tool_permission", toolCallId: "call_1", granted: false, reason: "用户拒绝" } as const
        assert.deepStrictEqual(results(yield* run({ messages: [deny] })), ["工具调用被拒绝：用户拒绝"])
      }).pipe(Effect.provide(layer(model).pipe(Layer.provide(wording))))
    })
  )

  it.effect("renews its lease as long as it runs", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const pause = Effect.andThen(Deferred.succeed(begun, undefined), Effect.sleep("5 minutes"))
      const model = Scripted.make([Scripted.reply(Scripted.wait(pause), Scripted.text("x"))])
      yield* Effect.gen(function* () {
        yield* open()
        const fiber = yield* Effect.forkChild(run(user("go")))
        yield* Deferred.await(begun)
        yield* Effect.repeat(TestClock.adjust("5 seconds"), { times: 48 })
        const refused = yield* Effect.flip((yield* TurnRunner).accept(owner, id, user("me too")))
        assert.strictEqual(refused._tag, "TurnInProgress")
        yield* Effect.repeat(TestClock.adjust("5 seconds"), { until: () => fiber.pollUnsafe() !== undefined })
        assert.strictEqual(stopReason(yield* Fiber.join(fiber)), "end_turn")
      }).pipe(Effect.provide(layer(model)))
    })
  )

  /** A store whose writes from number `nth` on fail so many times, before they are written or after. */
  const failing = (nth: number, times: number, when: "before" | "after") =>
    Layer.effect(
      SessionStore,
      Effect.map(SessionStore, (store) => {
        let count = 0
        let failed = 0
        const broken = Effect.fail(new StoreError({ operation: "commit", cause: "disk full" }))
        return SessionStore.of({
          ...store,
          commit: (lease, commit) => {
            if (++count < nth || failed >= times) return store.commit(lease, commit)
            failed++
            return when === "before" ? broken : Effect.andThen(store.commit(lease, commit), broken)
          }
        })
      })
    ).pipe(Layer.provide(MemorySessionStore.layer()))

  const ways = [1, 2, 3].flatMap((nth) => [
    { nth, when: "before" as const },
    { nth, when: "after" as const }
  ])

  const runFailing = Effect.fnUntraced(function* (nth: number, times: number, when: "before" | "after") {
    const model = Scripted.make([call, Scripted.text("x")])
    return yield* Effect.gen(function* () {
      yield* open(trusted)
      const fiber = yield* Effect.forkChild(run(user("go")))
      yield* Effect.repeat(TestClock.adjust("1 second"), { until: () => fiber.pollUnsafe() !== undefined })
      const events = yield* Fiber.join(fiber)
      assert.strictEqual(events.filter(({ event }) => event === "turn_stop").length, 1)
      assert.deepStrictEqual(yield* history, [{ role: "user", content: "go" }, ...Transcript.fold(events)])
      assert.deepStrictEqual((yield* (yield* SessionStore).get(owner, id)).pending, [])
      return stopReason(events)
    }).pipe(Effect.provide(layer(model, failing(nth, times, when))))
  })

  it.effect.each(ways)(
    "goes on when write $nth of the store fails for a moment, $when it is written",
    ({ nth, when }) =>
      Effect.gen(function* () {
        assert.strictEqual(yield* runFailing(nth, 5, when), "end_turn")
      })
  )

  it.effect.each(ways)(
    "ends with error when write $nth of the store goes on failing, $when it is written",
    ({ nth, when }) =>
      Effect.gen(function* () {
        const stop = yield* runFailing(nth, 6, when)
        // The last write ends the turn: once it is known to be there, the turn has ended well.
        assert.strictEqual(stop, nth === 3 ? "end_turn" : "error")
      })
  )
})
