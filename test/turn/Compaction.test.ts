import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Result, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as Agent from "../../src/agent/Agent.ts"
import { AgentCatalog } from "../../src/agent/AgentCatalog.ts"
import { Ids } from "../../src/history/Ids.ts"
import { openCalls } from "../../src/history/Pairing.ts"
import type { ModelRequest } from "../../src/model/ChatModel.ts"
import * as Scripted from "../../src/model/Scripted.ts"
import type { HistoryMessage } from "../../src/protocol/Message.ts"
import { SessionId } from "../../src/protocol/Session.ts"
import type { TurnEvent } from "../../src/protocol/TurnEvent.ts"
import * as MemorySessionStore from "../../src/session/MemorySessionStore.ts"
import { Principal } from "../../src/session/Session.ts"
import { SessionStore } from "../../src/session/SessionStore.ts"
import * as ServerTool from "../../src/tool/ServerTool.ts"
import { ToolRegistry } from "../../src/tool/ToolRegistry.ts"
import * as Compaction from "../../src/turn/Compaction.ts"
import * as NewSession from "../../src/turn/NewSession.ts"
import * as Summary from "../../src/turn/Summary.ts"
import { TurnRunner } from "../../src/turn/TurnRunner.ts"

const owner = Principal.make("tester")
const id = SessionId.make("sess_1")
const words = (count: number) => "word ".repeat(count)

const read = ServerTool.make({
  name: "read",
  description: "",
  input: Schema.Struct({ words: Schema.Int }),
  handler: ({ words: count }) => Effect.succeed(words(count))
})

const agent = Agent.make({ name: "agent", instructions: "Be brief.", model: "small", tools: ["read"] })

const isSummary = ({ system }: ModelRequest) => system === Summary.instructions

/** A model that answers the agent's requests with these replies, and requests for a summary with those. */
const makeModel = (replies: ReadonlyArray<Scripted.Reply>, summaries: ReadonlyArray<Scripted.Reply> = []) => {
  const steps: Array<ModelRequest> = []
  const asked: Array<ModelRequest> = []
  const { layer } = Scripted.make((request) =>
    isSummary(request)
      ? (summaries[asked.push(request) - 1] ?? Scripted.text(`summary ${asked.length}`))
      : (replies[steps.push(request) - 1] ?? Scripted.text(`answer ${steps.length}`))
  )
  return { layer, steps, asked }
}
type Model = ReturnType<typeof makeModel>

const layers = (model: Model, compaction: Layer.Layer<never, never, Layer.Success<Model["layer"]>>) =>
  TurnRunner.layer.pipe(
    Layer.provide(compaction),
    Layer.provideMerge(AgentCatalog.layer(agent)),
    Layer.provideMerge(ToolRegistry.layer(read)),
    Layer.provideMerge(model.layer),
    Layer.provideMerge(MemorySessionStore.layer()),
    Layer.provideMerge(
      Layer.sync(Ids, () => {
        let count = 0
        return { next: () => `call_${++count}` }
      })
    )
  )

const open = Effect.fnUntraced(function* (messages: ReadonlyArray<HistoryMessage> = []) {
  const cataloged = (yield* AgentCatalog).get("agent")
  if (cataloged === undefined) return yield* Effect.die("no agent")
  const request = { agent: { name: "agent", tools: [{ name: "read", trust: true }] }, messages }
  const { history, session } = Result.getOrThrow(NewSession.make(cataloged, id, request))
  yield* (yield* SessionStore).create(owner, session, history)
})

const accept = Effect.fnUntraced(function* (content: string) {
  return yield* (yield* TurnRunner).accept(owner, id, { messages: [{ role: "user", content }] })
})
const run = (content: string) => Effect.flatMap(accept(content), (turn) => Stream.runCollect(turn.events))
const stopReason = (events: ReadonlyArray<TurnEvent>) => {
  const last = events.at(-1)
  return last?.event === "turn_stop" ? last.data.stopReason : undefined
}
const messages = (history: ModelRequest["history"]) => history.map(({ message }) => message)
const full = Effect.flatMap(SessionStore, (store) => Effect.map(store.history(owner, id), messages))
const compacted = Effect.flatMap(SessionStore, (store) => Effect.map(store.compacted(owner, id), messages))
const user = (content: string): HistoryMessage => ({ role: "user", content })
const assistant = (content: string): HistoryMessage => ({ role: "assistant", content })
const told = (summary: string) =>
  user(`[Summary of the conversation before this: a record, not a request]\n\n${summary}`)

describe("Compaction", () => {
  it.effect("by a window feeds the model the latest alone, and keeps the history whole", () =>
    Effect.gen(function* () {
      const model = makeModel([])
      yield* Effect.gen(function* () {
        yield* open([{ role: "system", content: "Be kind." }])
        const said = [1, 2, 3, 4].map((turn) => `${turn} ${words(100)}`)
        for (const content of said) yield* run(content)
        const all = said.flatMap((content, index) => [user(content), assistant(`answer ${index + 1}`)])
        assert.deepStrictEqual(yield* full, [{ role: "system", content: "Be kind." }, ...all])
        assert.deepStrictEqual(yield* compacted, [{ role: "system", content: "Be kind." }, ...all.slice(4)])
        assert.deepStrictEqual(messages(model.steps[3]?.history ?? []), (yield* compacted).slice(0, -1))
        assert.strictEqual(model.steps[2]?.history.length, 6)
      }).pipe(Effect.provide(layers(model, Compaction.window({ above: 480, keep: 150 }))))
    })
  )

  it.effect("by a summary tells what was left out, and goes on from the summary before", () =>
    Effect.gen(function* () {
      const model = makeModel([])
      yield* Effect.gen(function* () {
        yield* open()
        const said = [1, 2, 3, 4, 5, 6, 7].map((turn) => `${turn} ${words(100)}`)
        for (const content of said) yield* run(content)
        assert.deepStrictEqual(
          model.asked.map(({ model, tools }) => [model, tools]),
          [
            ["small", []],
            ["small", []]
          ]
        )
        const [first, second] = model.asked.map(({ history }) => String(history[0]?.message.content))
        assert.include(first, "User: 1 word")
        assert.notInclude(first, "summary-of-what-came-before")
        assert.include(second, "<summary-of-what-came-before>\nsummary 1\n")
        assert.notInclude(second, "User: 1 word")
        assert.include(second, "User: 4 word")
        const latest = said.slice(4).flatMap((content, index) => [user(content), assistant(`answer ${index + 5}`)])
        assert.deepStrictEqual(yield* compacted, [told("summary 2"), ...latest])
        assert.strictEqual((yield* full).length, 14)
      }).pipe(Effect.provide(layers(model, Compaction.summary({ above: 560, keep: 150 }))))
    })
  )

  it.effect("runs between the steps of a turn, which keeps the question that it answers", () =>
    Effect.gen(function* () {
      const step = Scripted.call("read", { words: 100 })
      const model = makeModel([step, step, step, Scripted.text("done")])
      yield* Effect.gen(function* () {
        yield* open()
        const events = yield* run("go on")
        assert.strictEqual(stopReason(events), "end_turn")
        for (const request of model.steps) {
          assert.strictEqual(Result.getOrThrow(openCalls(messages(request.history))).length, 0)
          assert.deepStrictEqual(
            request.history.find(({ message }) => message.role === "user" && message.content === "go on")?.message,
            user("go on")
          )
        }
        assert.strictEqual(model.asked.length, 1)
        assert.deepStrictEqual(
          model.steps[3]?.history.map(({ message }) => message.role),
          ["user", "user", "assistant", "tool"]
        )
        assert.strictEqual((yield* full).length, 8)
      }).pipe(Effect.provide(layers(model, Compaction.summary({ above: 400, keep: 150 }))))
    })
  )

  it.effect.each([
    { what: "twice", inputTokens: 5000, compacted: true },
    { what: "no more than twice", inputTokens: 1_000_000, compacted: true },
    { what: "half", inputTokens: 1, compacted: false }
  ])("counts as the provider does: $what of what was estimated", ({ compacted: isCompacted, inputTokens }) =>
    Effect.gen(function* () {
      const usage = Scripted.finish("stop", { inputTokens, outputTokens: 1 })
      const model = makeModel([Scripted.reply(Scripted.call("read", { words: 10 }), usage), Scripted.text("done")])
      yield* Effect.gen(function* () {
        yield* open([user(words(1000)), assistant(words(1000))])
        yield* run("go on")
        assert.strictEqual(model.steps[0]?.history.length, 3)
        assert.strictEqual((model.steps[1]?.history.length ?? 0) < 5, isCompacted)
      }).pipe(Effect.provide(layers(model, Compaction.window({ above: 4000, keep: 500 }))))
    })
  )

  it.effect("learns nothing from a small request, of which most is overhead", () =>
    Effect.gen(function* () {
      const usage = Scripted.finish("stop", { inputTokens: 5000, outputTokens: 1 })
      const model = makeModel([Scripted.reply(Scripted.call("read", { words: 2000 }), usage), Scripted.text("done")])
      yield* Effect.gen(function* () {
        yield* open([user("before"), assistant("so")])
        yield* run("go on")
        assert.strictEqual(model.steps[1]?.history.length, 5)
      }).pipe(Effect.provide(layers(model, Compaction.window({ above: 4000, keep: 500 }))))
    })
  )

  it.effect.each([
    { what: "fails", reply: Scripted.fail({ reason: "unauthorized" }) },
    { what: "is blank", reply: Scripted.text("") },
    { what: "is refused", reply: Scripted.fail({ reason: "refused" }) },
    { what: "is broken by a bug", reply: Scripted.wait(Effect.die(new Error("a bug"))) }
  ])("does no harm to a turn where the summary $what", ({ reply }) =>
    Effect.gen(function* () {
      const model = makeModel([Scripted.call("read", { words: 200 })], [reply, reply])
      yield* Effect.gen(function* () {
        yield* open([user(words(200)), assistant("so")])
        assert.strictEqual(stopReason(yield* run("go on")), "end_turn")
        assert.strictEqual(model.asked.length, 1)
        assert.deepStrictEqual(yield* compacted, yield* full)
      }).pipe(Effect.provide(layers(model, Compaction.summary({ above: 200, keep: 50 }))))
    })
  )

  it.effect("waits for a summary only so long", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const model = makeModel([], [Scripted.wait(Effect.andThen(Deferred.succeed(asked, undefined), Effect.never))])
      yield* Effect.gen(function* () {
        yield* open([user(words(200)), assistant("so")])
        const turn = yield* Effect.forkChild(run("go on"))
        yield* Deferred.await(asked)
        yield* TestClock.adjust("1 minute")
        assert.strictEqual(stopReason(yield* Fiber.join(turn)), "end_turn")
        assert.strictEqual(model.steps[0]?.history.length, 3)
      }).pipe(Effect.provide(layers(model, Compaction.summary({ above: 200, keep: 50 }))))
    })
  )

  it.effect("ends with its turn, whose session is free", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const closed = yield* Deferred.make<void>()
      const hangs = Deferred.succeed(asked, undefined).pipe(
        Effect.andThen(Effect.never),
        Effect.onInterrupt(() => Deferred.succeed(closed, undefined))
      )
      const model = makeModel([], [Scripted.wait(hangs)])
      yield* Effect.gen(function* () {
        yield* open([user(words(200)), assistant("so")])
        const turn = yield* accept("go on")
        const running = yield* Effect.forkChild(Stream.runDrain(turn.events))
        yield* Deferred.await(asked)
        yield* Fiber.interrupt(running)
        yield* Deferred.await(closed)
        yield* turn.abandon
        assert.strictEqual(stopReason(yield* run("once more")), "end_turn")
        assert.deepStrictEqual((yield* compacted)[0], told(`summary ${model.asked.length}`))
      }).pipe(Effect.provide(layers(model, Compaction.summary({ above: 280, keep: 50 }))))
    })
  )

  it.effect("mends a context that overflows, before anything was said", () =>
    Effect.gen(function* () {
      const overflow = Scripted.fail({ reason: "context_overflow" })
      const model = makeModel([overflow, Scripted.call("read", { words: 2000 }), overflow, Scripted.text("done")])
      yield* Effect.gen(function* () {
        yield* open([user(words(50)), assistant("so"), user(words(50)), assistant("and so")])
        const events = yield* run("go on")
        assert.strictEqual(stopReason(events), "end_turn")
        assert.strictEqual(events.filter(({ event }) => event === "turn_start").length, 1)
        const sizes = model.steps.map(({ history }) => JSON.stringify(history).length)
        assert.isBelow(sizes[1] ?? 0, sizes[0] ?? 0)
        assert.isBelow(sizes[3] ?? 0, sizes[2] ?? 0)
        assert.include(
          (yield* full).map(({ content }) => content),
          words(2000)
        )
      }).pipe(Effect.provide(layers(model, Compaction.summary())))
    })
  )

  it.effect("leaves out untold what overflowed and cannot be summarised", () =>
    Effect.gen(function* () {
      const model = makeModel(
        [Scripted.fail({ reason: "context_overflow" })],
        [Scripted.fail({ reason: "unauthorized" })]
      )
      yield* Effect.gen(function* () {
        yield* open([user(words(50)), assistant("so")])
        assert.strictEqual(stopReason(yield* run("go on")), "end_turn")
        assert.deepStrictEqual(messages(model.steps[1]?.history ?? []), [user("go on")])
      }).pipe(Effect.provide(layers(model, Compaction.summary())))
    })
  )

  it.effect("gives up on a context that overflows with nothing to leave out", () =>
    Effect.gen(function* () {
      const model = makeModel([Scripted.fail({ reason: "context_overflow" })])
      yield* Effect.gen(function* () {
        yield* open()
        assert.strictEqual(stopReason(yield* run("go on")), "max_tokens")
        assert.strictEqual(model.steps.length, 1)
      }).pipe(Effect.provide(layers(model, Compaction.window())))
    })
  )

  it.effect("gives up on a context that overflows however often something is left out", () =>
    Effect.gen(function* () {
      const model = makeModel(Array.from({ length: 20 }, () => Scripted.fail({ reason: "context_overflow" })))
      const oneMore = Layer.succeed(Compaction.Compaction, {
        compact: ({ history, isOverflow }) =>
          Effect.succeed(isOverflow ? { from: history.cut.from + 1, shortenedTo: 0 } : undefined)
      })
      yield* Effect.gen(function* () {
        yield* open(Array.from({ length: 20 }, (_, index) => user(`${index}`)))
        assert.strictEqual(stopReason(yield* run("go on")), "max_tokens")
        assert.deepStrictEqual(
          model.steps.map(({ history }) => history.length),
          [21, 20, 19, 18]
        )
      }).pipe(Effect.provide(layers(model, oneMore)))
    })
  )

  it.effect("leaves a session alone for some minutes whose summary failed", () =>
    Effect.gen(function* () {
      const model = makeModel([], [Scripted.fail({ reason: "unauthorized" })])
      yield* Effect.gen(function* () {
        yield* open([user(words(200)), assistant("so")])
        yield* run("one")
        yield* TestClock.adjust("4 minutes")
        yield* run("two")
        assert.strictEqual(model.asked.length, 1)
        yield* TestClock.adjust("1 minute")
        yield* run("three")
        assert.isAbove(model.asked.length, 1)
        assert.deepStrictEqual((yield* compacted)[0], told(`summary ${model.asked.length}`))
      }).pipe(Effect.provide(layers(model, Compaction.summary({ above: 280, keep: 50 }))))
    })
  )

  it.effect("may be anybody's own, which cannot break a message group", () =>
    Effect.gen(function* () {
      const step = Scripted.call("read", { words: 1 })
      const model = makeModel([step, step, step])
      const own = Layer.succeed(Compaction.Compaction, {
        compact: ({ history }) => Effect.succeed({ from: history.cut.from + history.tail.length - 1, shortenedTo: 0 })
      })
      yield* Effect.gen(function* () {
        yield* open()
        assert.strictEqual(stopReason(yield* run("go on")), "end_turn")
        for (const request of model.steps.slice(1)) {
          assert.deepStrictEqual(
            request.history.map(({ message }) => message.role),
            ["user", "assistant", "tool"]
          )
        }
      }).pipe(Effect.provide(layers(model, own)))
    })
  )

  it.effect("is not done unless a server asks for it", () =>
    Effect.gen(function* () {
      const model = makeModel([Scripted.fail({ reason: "context_overflow" })])
      yield* Effect.gen(function* () {
        yield* open([user(words(200_000)), assistant("so")])
        assert.strictEqual(stopReason(yield* run("go on")), "max_tokens")
        assert.deepStrictEqual(yield* compacted, yield* full)
      }).pipe(Effect.provide(layers(model, Layer.empty)))
    })
  )
})
