import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Metric, Result, Schema, Stream, Tracer } from "effect"
import * as Agent from "../../src/agent/Agent.ts"
import { AgentCatalog } from "../../src/agent/AgentCatalog.ts"
import * as Scripted from "../../src/model/Scripted.ts"
import { SessionId } from "../../src/protocol/Session.ts"
import * as MemorySessionStore from "../../src/session/MemorySessionStore.ts"
import { Principal } from "../../src/session/Session.ts"
import { SessionStore } from "../../src/session/SessionStore.ts"
import * as ServerTool from "../../src/tool/ServerTool.ts"
import { ToolRegistry } from "../../src/tool/ToolRegistry.ts"
import * as NewSession from "../../src/turn/NewSession.ts"
import { TurnRunner } from "../../src/turn/TurnRunner.ts"

const owner = Principal.make("tester")
const id = SessionId.make("sess_1")
const look = ServerTool.make({
  name: "look",
  description: "",
  input: Schema.Struct({}),
  handler: () => Effect.succeed("seen")
})
const agent = Agent.make({ name: "agent", instructions: "", model: "m", tools: ["look"] })

/** One turn of a model that says what it took; the spans that it made, and the metrics that it moved. */
const turn = (...replies: ReadonlyArray<Scripted.Reply>) => {
  const spans: Array<Tracer.Span> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  return Effect.gen(function* () {
    const cataloged = (yield* AgentCatalog).get("agent")
    if (cataloged === undefined) return yield* Effect.die("no agent")
    const request = { agent: { name: "agent", tools: [{ name: "look", trust: true }] } }
    const { history, session } = Result.getOrThrow(NewSession.make(cataloged, id, request))
    yield* (yield* SessionStore).create(owner, session, history)
    const { events } = yield* (yield* TurnRunner).accept(owner, id, { messages: [{ role: "user", content: "go" }] })
    yield* Stream.runDrain(events)
    const told = spans.find(({ name }) => name === "invoke_agent agent")
    return { attributes: Object.fromEntries(told?.attributes ?? []), metrics: yield* Metric.snapshot }
  }).pipe(
    Effect.provide(
      TurnRunner.layer.pipe(
        Layer.provideMerge(AgentCatalog.layer(agent)),
        Layer.provideMerge(ToolRegistry.layer(look)),
        Layer.provideMerge(MemorySessionStore.layer()),
        Layer.provide(Scripted.layer(replies))
      )
    ),
    Effect.provideService(Tracer.Tracer, tracer),
    Effect.provideService(Metric.MetricRegistry, new Map())
  )
}

const first = { inputTokens: 100, outputTokens: 20, cachedTokens: 64, reasoningTokens: 8 }
const second = { inputTokens: 130, outputTokens: 5 }
const replies = [
  Scripted.reply(Scripted.call("look"), Scripted.finish("stop", first)),
  Scripted.reply(Scripted.text("Seen."), Scripted.finish("stop", second))
]

describe("usage", () => {
  it.effect("is summed on the turn's span", () =>
    Effect.gen(function* () {
      const { attributes } = yield* turn(...replies)
      assert.deepInclude(attributes, {
        "gen_ai.conversation.id": "sess_1",
        "gen_ai.usage.input_tokens": 230,
        "gen_ai.usage.output_tokens": 25,
        "gen_ai.usage.cache_read.input_tokens": 64,
        "gen_ai.usage.reasoning.output_tokens": 8
      })
    })
  )

  it.effect("is counted for each request, by provider and kind", () =>
    Effect.gen(function* () {
      const { metrics } = yield* turn(...replies)
      const counted = metrics.flatMap((metric) =>
        metric.type === "Histogram" && metric.id === "gen_ai.client.token.usage"
          ? [[metric.attributes?.["gen_ai.token.type"], metric.state.count, metric.state.sum]]
          : []
      )
      assert.deepStrictEqual(counted, [
        ["input", 2, 230],
        ["output", 2, 25],
        ["cache_read", 1, 64],
        ["reasoning", 1, 8]
      ])
    })
  )

  it.effect("is not told where the provider tells none", () =>
    Effect.gen(function* () {
      const { attributes, metrics } = yield* turn(Scripted.text("Hello."))
      assert.notProperty(attributes, "gen_ai.usage.input_tokens")
      assert.isFalse(metrics.some(({ id }) => id === "gen_ai.client.token.usage"))
    })
  )
})
