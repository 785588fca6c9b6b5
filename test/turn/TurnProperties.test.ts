import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Result, Schema, Stream } from "effect"
import * as Agent from "../../src/agent/Agent.ts"
import { AgentCatalog } from "../../src/agent/AgentCatalog.ts"
import type { HistoryEntry } from "../../src/history/HistoryEntry.ts"
import { openCalls } from "../../src/history/Pairing.ts"
import { open } from "../../src/history/PendingCall.ts"
import * as Transcript from "../../src/history/Transcript.ts"
import { ChatModel, type ModelEvent, type ModelRequest } from "../../src/model/ChatModel.ts"
import { ModelError } from "../../src/model/ModelError.ts"
import type { ApplicationMessage, HistoryMessage } from "../../src/protocol/Message.ts"
import { SessionId } from "../../src/protocol/Session.ts"
import type { ToolSpec } from "../../src/protocol/Tool.ts"
import type { TurnEvent } from "../../src/protocol/TurnEvent.ts"
import * as MemorySessionStore from "../../src/session/MemorySessionStore.ts"
import { Principal } from "../../src/session/Session.ts"
import { SessionStore } from "../../src/session/SessionStore.ts"
import { ToolRegistry } from "../../src/tool/ToolRegistry.ts"
import * as Compaction from "../../src/turn/Compaction.ts"
import * as NewSession from "../../src/turn/NewSession.ts"
import { view } from "../../src/turn/StreamMode.ts"
import * as Summary from "../../src/turn/Summary.ts"
import { TurnRunner } from "../../src/turn/TurnRunner.ts"

const owner = Principal.make("tester")
const id = SessionId.make("sess_1")
const spec = (name: string): ToolSpec => ({ name, description: name, parameters: { type: "object" } })

/** What the model does in one step. */
const Reply = Schema.Struct({
  says: Schema.Array(
    Schema.Union([
      Schema.Struct({
        type: Schema.Literals(["text_delta", "thinking_delta"]),
        delta: Schema.Literals(["a", " ", "b c", ""])
      }),
      Schema.Struct({
        type: Schema.Literal("tool_call"),
        name: Schema.Literals(["mine", "trusted", "asks", "hidden", "none such", "dies"]),
        arguments: Schema.Literals(["", "{}", '{"a":1}', "{"])
      })
    ])
  ),
  ends: Schema.Literals([
    "stop",
    "stop",
    "stop",
    "length",
    "refusal",
    "no finish",
    "overflow",
    "refused",
    "network",
    "defect"
  ])
})
type Reply = typeof Reply.Type

const Answering = Schema.Struct({
  grant: Schema.Array(Schema.Boolean),
  and: Schema.Boolean,
  spoil: Schema.Literals(["no", "no", "no", "forget", "repeat", "unknown", "wrong kind"])
})

const Script = Schema.Struct({ replies: Schema.Array(Reply), turns: Schema.Array(Answering) })

const ending = (ends: Reply["ends"]): Stream.Stream<ModelEvent, ModelError> => {
  const fail = (reason: ModelError["reason"]) =>
    Stream.fail(new ModelError({ reason, message: reason, retryable: false }))
  switch (ends) {
    case "no finish":
      return Stream.empty
    case "overflow":
      return fail("context_overflow")
    case "refused":
      return fail("refused")
    case "network":
      return fail("network")
    case "defect":
      return Stream.die(new Error("a bug in a model"))
    default:
      return Stream.succeed({ type: "finish", reason: ends })
  }
}

/** A model that plays the replies, then says goodbye, and keeps what it was asked. */
const makeModel = (replies: ReadonlyArray<Reply>) => {
  const requests: Array<ModelRequest> = []
  const layer = Layer.succeed(ChatModel, {
    provider: "script",
    stream: (request) =>
      Stream.suspend(() => {
        const reply = replies[requests.push(request) - 1] ?? {
          says: [{ type: "text_delta", delta: "bye" }],
          ends: "stop"
        }
        return Stream.concat(Stream.fromArray<ModelEvent>(reply.says), ending(reply.ends))
      })
  })
  return { layer, requests }
}

/** Tools that count how often each call was run. */
const makeTools = () => {
  const runs = new Map<string, number>()
  const tool = (name: string, hidden = false) => [name, { spec: spec(name), hidden }] as const
  const layer = Layer.succeed(ToolRegistry, {
    tools: new Map([tool("trusted"), tool("asks"), tool("dies"), tool("hidden", true)]),
    check: () => Effect.undefined,
    run: (call) =>
      Effect.suspend(() => {
        runs.set(call.toolCallId, (runs.get(call.toolCallId) ?? 0) + 1)
        return call.name === "dies"
          ? Effect.die(new Error("a bug in a tool"))
          : Effect.as(Effect.yieldNow, `ran ${call.name}`)
      })
  })
  return { layer, runs }
}

const agent = Agent.make({
  name: "agent",
  instructions: "Be brief.",
  tools: ["trusted", "asks", "dies", "hidden"],
  stepLimit: 4
})

/** How histories are compacted: hardly anything is small enough. */
const Compacting = Schema.Literals(["none", "window", "summary"])

const compactions = {
  none: Layer.empty,
  window: Compaction.window({ above: 30, keep: 10 }),
  summary: Compaction.summary({ above: 60, keep: 10 })
}

const layers = (compacting: typeof Compacting.Type, model: Layer.Layer<ChatModel>, tools: Layer.Layer<ToolRegistry>) =>
  TurnRunner.layer.pipe(
    Layer.provide(compactions[compacting]),
    Layer.provideMerge(AgentCatalog.layer(agent)),
    Layer.provideMerge(Layer.mergeAll(model, tools, MemorySessionStore.layer()))
  )

const begin = Effect.gen(function* () {
  const catalog = yield* AgentCatalog
  const store = yield* SessionStore
  const cataloged = catalog.get("agent")
  if (cataloged === undefined) return yield* Effect.die("no agent")
  const tools = [{ name: "trusted", trust: true }, { name: "dies", trust: true }, { name: "asks" }]
  const created = NewSession.make(cataloged, id, { agent: { name: "agent", tools }, tools: [spec("mine")] })
  const { history, session } = Result.getOrThrow(created)
  yield* store.create(owner, session, history)
})

/** What the application answers to the open calls, right or spoiled. */
const answer = Effect.fnUntraced(function* (how: typeof Answering.Type) {
  const calls = open((yield* (yield* SessionStore).get(owner, id)).pending)
  const answers = calls.map(
    ({ answerer, call: { toolCallId } }, index): ApplicationMessage =>
      answerer === "client"
        ? { role: "tool", toolCallId, content: "mine" }
        : { role: "tool_permission", toolCallId, granted: how.grant[index % Math.max(1, how.grant.length)] ?? true }
  )
  const [first] = answers
  const spoiled: ReadonlyArray<ApplicationMessage> =
    how.spoil === "unknown"
      ? [...answers, { role: "tool", toolCallId: "call_x", content: "" }]
      : how.spoil === "no" || first === undefined || first.role === "user"
        ? answers
        : how.spoil === "forget"
          ? answers.slice(1)
          : how.spoil === "repeat"
            ? [...answers, first]
            : first.role === "tool"
              ? [{ role: "tool_permission", toolCallId: first.toolCallId, granted: true }, ...answers.slice(1)]
              : [{ role: "tool", toolCallId: first.toolCallId, content: "" }, ...answers.slice(1)]
  const fits = spoiled === answers
  const said: ReadonlyArray<ApplicationMessage> = how.and || calls.length === 0 ? [{ role: "user", content: "hi" }] : []
  return { messages: [...spoiled, ...said], fits }
})

const messagesOf = (history: ReadonlyArray<HistoryEntry>): ReadonlyArray<HistoryMessage> =>
  history.map((entry) => entry.message)

/** The history without what the application itself put there. */
const ours = (history: ReadonlyArray<HistoryMessage>): ReadonlyArray<HistoryMessage> =>
  history.filter((message) => message.role !== "user" && !(message.role === "tool" && message.content === "mine"))

const checkOrder = (events: ReadonlyArray<TurnEvent>) => {
  const names = events.map((event) => event.event)
  assert.strictEqual(names[0], "turn_start")
  assert.strictEqual(names.at(-1), "turn_stop")
  assert.strictEqual(names.filter((name) => name === "turn_start").length, 1)
  assert.strictEqual(names.filter((name) => name === "turn_stop").length, 1)
  let results = false
  let called = new Set<string>()
  for (const event of events) {
    if (event.event === "tool_result") results = true
    if (event.event === "text_delta" || event.event === "thinking_delta") results = false
    if (event.event === "tool_call") {
      if (results) called = new Set()
      results = false
      assert.isFalse(called.has(event.data.toolCallId))
      called.add(event.data.toolCallId)
    }
  }
}

const checkStory = Effect.fnUntraced(function* (told: ReadonlyArray<HistoryMessage>) {
  const store = yield* SessionStore
  const history = messagesOf(yield* store.history(owner, id))
  const session = yield* store.get(owner, id)
  assert.deepStrictEqual(ours(history), told)
  const left = openCalls(history)
  assert.deepStrictEqual(
    Result.map(left, (calls) => calls.map((call) => call.toolCallId)),
    Result.succeed(session.pending.map(({ call }) => call.toolCallId))
  )
  return session.pending
})

describe("a turn", () => {
  it.effect.prop(
    "tells one story in every view, for any model, tools and application",
    [Script, Compacting],
    ([script, compacting]) =>
      Effect.gen(function* () {
        const model = makeModel(script.replies)
        const tools = makeTools()
        const story: Array<HistoryMessage> = []
        yield* Effect.gen(function* () {
          yield* begin
          const store = yield* SessionStore
          const runner = yield* TurnRunner
          for (const how of script.turns) {
            const { fits, messages } = yield* answer(how)
            const before = [yield* store.get(owner, id), yield* store.history(owner, id)]
            const accepted = yield* Effect.result(runner.accept(owner, id, { messages }))
            assert.strictEqual(Result.isSuccess(accepted), fits)
            if (Result.isFailure(accepted)) {
              assert.deepStrictEqual([yield* store.get(owner, id), yield* store.history(owner, id)], before)
              continue
            }
            const events = yield* Stream.runCollect(accepted.success.events)
            checkOrder(events)
            const folded = Transcript.fold(events)
            assert.deepStrictEqual(Transcript.fold(view("delta", events)), folded)
            assert.deepStrictEqual(Transcript.fold(view("message", events)), folded)
            story.push(...folded)
            const pending = yield* checkStory(story)
            const stop = events.at(-1)
            assert.strictEqual(pending.length > 0, stop?.event === "turn_stop" && stop.data.stopReason === "tool_use")
          }
        }).pipe(Effect.provide(layers(compacting, model.layer, tools.layer)))
        for (const request of model.requests) {
          assert.deepStrictEqual(openCalls(messagesOf(request.history)), Result.succeed([]))
          assert.strictEqual(request.tools.length === 0, request.system === Summary.instructions)
        }
        for (const count of tools.runs.values()) assert.strictEqual(count, 1)
      }),
    { arbitrary: { runs: 1500 } }
  )

  it.effect.prop(
    "keeps its story whole when it is cut off anywhere",
    [Script, Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60 })), Compacting],
    ([script, cut, compacting]) =>
      Effect.gen(function* () {
        const model = makeModel(script.replies)
        const tools = makeTools()
        yield* Effect.gen(function* () {
          yield* begin
          const store = yield* SessionStore
          const runner = yield* TurnRunner
          const turn = yield* runner.accept(owner, id, { messages: [{ role: "user", content: "hi" }] })
          let seen = 0
          const heard: Array<TurnEvent> = []
          const fiber = yield* Effect.forkChild(
            Stream.runForEach(turn.events, (event) =>
              Effect.suspend(() => {
                heard.push(event)
                return ++seen > cut ? Effect.never : Effect.yieldNow
              })
            )
          )
          while (seen <= cut && heard.at(-1)?.event !== "turn_stop") yield* Effect.yieldNow
          yield* Fiber.interrupt(fiber)
          const rest = yield* turn.abandon
          assert.strictEqual(rest.at(-1)?.event, "turn_stop")
          if (heard.at(-1)?.event !== "turn_stop") {
            const toldCalls = heard.flatMap((event) => (event.event === "tool_call" ? [event.data.toolCallId] : []))
            const history = messagesOf(yield* store.history(owner, id))
            const kept = history.flatMap((message) =>
              message.role === "assistant" && typeof message.content !== "string"
                ? message.content.flatMap((block) => (block.type === "tool_use" ? [block.toolCallId] : []))
                : []
            )
            assert.deepStrictEqual(kept.slice(0, toldCalls.length), toldCalls)
          }
          yield* checkStory(ours(messagesOf(yield* store.history(owner, id))))
          const { messages } = yield* answer({ grant: [true], and: true, spoil: "no" })
          const next = yield* runner.accept(owner, id, { messages })
          checkOrder(yield* Stream.runCollect(next.events))
        }).pipe(Effect.provide(layers(compacting, model.layer, tools.layer)))
        for (const count of tools.runs.values()) assert.strictEqual(count, 1)
      }),
    { arbitrary: { runs: 1000 } }
  )
})
