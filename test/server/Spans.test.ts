import type { IncomingHttpHeaders } from "node:http"
import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Data, Deferred, Effect, Layer, Logger, Redacted, Schema } from "effect"
import type { HttpServer } from "effect/http"
import * as Agent from "../../src/agent/Agent.ts"
import * as Gemini from "../../src/model/Gemini.ts"
import * as Scripted from "../../src/model/Scripted.ts"
import type { ServerOptions } from "../../src/server/Server.ts"
import * as ServerTool from "../../src/tool/ServerTool.ts"
import { ToolRegistry } from "../../src/tool/ToolRegistry.ts"
import * as JsonLog from "../../src/telemetry/JsonLog.ts"
import { serve } from "../support/LoopbackServer.ts"
import { collector, type ExportedSpan, outline } from "../support/OtlpCollector.ts"
import { ask, openSession, says, testServer } from "../support/TestServer.ts"

const look = ServerTool.make({
  name: "look",
  description: "",
  input: Schema.Struct({ at: Schema.String }),
  handler: ({ at }) => (at === "sun" ? Effect.fail({ message: `too bright: ${at}` }) : Effect.succeed(`seen ${at}`))
})

class TooDark extends Data.TaggedError("TooDark")<{ readonly message: string }> {}

const usage = { inputTokens: 100, outputTokens: 20 }
const replies = [
  Scripted.reply(
    Scripted.text("Looking ", "closely."),
    Scripted.call("look", { at: "moon-in-a-call" }),
    Scripted.call("look", { at: "sun" }),
    Scripted.finish("stop", usage)
  ),
  Scripted.reply(Scripted.text("It is ", "there-in-an-answer."), Scripted.finish("stop", usage))
]

/** One streamed turn with two tool calls and a secret option; what a collector was told of it. */
const turn = (
  headers: Readonly<Record<string, string>> = {},
  server: ServerOptions = {},
  script: Scripted.Script = replies,
  leaves: Effect.Effect<void> = Effect.never
) =>
  Effect.gen(function* () {
    const taken = yield* collector
    const app = testServer({
      agents: [
        Agent.make({
          name: "agent",
          instructions: ({ token = "" }) => `use ${token}`,
          model: "m",
          tools: ["look"],
          options: [{ name: "token", title: "Token", type: "secret" as const, default: "" }]
        })
      ],
      tools: ToolRegistry.layer(look),
      model: Scripted.layer(script),
      server
    })
    const id = yield* Effect.gen(function* () {
      const id = yield* openSession({
        agent: { name: "agent", tools: [{ name: "look", trust: true }], options: { token: "secret-in-an-option" } }
      })
      const body = says("where-in-a-question is it?", { stream: "delta" })
      yield* Effect.race(ask(`/sessions/${id}/turns`, { body, headers }), leaves)
      yield* ask("/healthz")
      yield* ask("/readyz")
      return id
    }).pipe(Effect.provide(Layer.provide(app, taken.layer), { local: true }))
    return { id, taken, spans: taken.spans() }
  })

const requestOf = (spans: ReadonlyArray<ExportedSpan>) => {
  const request = spans.find(({ attributes, kind }) => kind === 2 && String(attributes["url.path"]).endsWith("/turns"))
  return request ?? assert.fail("the request has no span")
}

const named = (spans: ReadonlyArray<ExportedSpan>, name: string) => spans.filter((span) => span.name === name)

/** What requests to a server tell a collector. */
const told = <A>(server: Parameters<typeof testServer>[0], requests: Effect.Effect<A, never, HttpServer.HttpServer>) =>
  Effect.gen(function* () {
    const taken = yield* collector
    yield* Effect.provide(requests, Layer.provide(testServer(server), taken.layer), { local: true })
    return taken
  })

const said = ["moon-in-a-call", "there-in-an-answer", "where-in-a-question"]

describe("the spans of a turn", () => {
  it.live("are a tree of turn, steps, model calls and tools, beneath the request's", () =>
    Effect.gen(function* () {
      const { spans } = yield* turn()
      assert.deepStrictEqual(outline(spans, requestOf(spans).spanId), [
        "store get",
        "store accept",
        "invoke_agent agent",
        "  step",
        "    chat m",
        "    store commit",
        "    execute_tool look",
        "    store commit",
        "    execute_tool look",
        "    store commit",
        "  step",
        "    chat m",
        "    store commit"
      ])
    })
  )

  it.live("have the attributes of the GenAI conventions", () =>
    Effect.gen(function* () {
      const { id, spans, taken } = yield* turn()
      const [told] = named(spans, "invoke_agent agent")
      assert.deepStrictEqual(told?.attributes, {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "agent",
        "gen_ai.conversation.id": id,
        "aap.turn.id": `${id}.1`,
        "aap.stop_reason": "end_turn",
        "gen_ai.usage.input_tokens": 200,
        "gen_ai.usage.output_tokens": 40,
        "gen_ai.usage.cache_read.input_tokens": 0,
        "gen_ai.usage.reasoning.output_tokens": 0
      })
      assert.deepStrictEqual(
        named(spans, "chat m").map(({ attributes, kind }) => [kind, attributes]),
        ["tool_calls", "stop"].map((reason) => [
          3,
          {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": "scripted",
            "gen_ai.request.model": "m",
            "gen_ai.response.finish_reasons": [reason],
            "gen_ai.usage.input_tokens": 100,
            "gen_ai.usage.output_tokens": 20,
            "gen_ai.usage.cache_read.input_tokens": 0,
            "gen_ai.usage.reasoning.output_tokens": 0
          }
        ])
      )
      const executed = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look" }
      const failed = { "error.type": "failed" }
      assert.sameDeepMembers(
        named(spans, "execute_tool look").map(({ attributes, isError }) => [isError, attributes]),
        [
          [false, { ...executed, "gen_ai.tool.call.id": "call_001", "aap.tool.outcome": "ok" }],
          [true, { ...executed, ...failed, "gen_ai.tool.call.id": "call_002", "aap.tool.outcome": "failed" }]
        ]
      )
      assert.deepStrictEqual(
        named(spans, "step").map(({ attributes }) => attributes["aap.step"]),
        [1, 2]
      )
      assert.deepStrictEqual([...taken.services()], ["test"])
    })
  )

  it.live("are in the trace of the caller, beneath the span that it names", () =>
    Effect.gen(function* () {
      const traceId = "0af7651916cd43dd8448eb211c80319c"
      const { spans } = yield* turn({ traceparent: `00-${traceId}-b7ad6b7169203331-01` })
      const request = requestOf(spans)
      const [told] = named(spans, "invoke_agent agent")
      assert.deepStrictEqual([request.traceId, request.parentSpanId], [traceId, "b7ad6b7169203331"])
      assert.deepStrictEqual([told?.traceId, told?.parentSpanId], [traceId, request.spanId])
    })
  )

  it.live("are not exported where the caller does not sample its trace", () =>
    Effect.gen(function* () {
      const { spans } = yield* turn({ traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00" })
      assert.deepStrictEqual([...new Set(spans.map(({ name }) => name))].sort(), ["POST", "store create"])
    })
  )

  it.live("bear the id of their request, and are none for what machines ask", () =>
    Effect.gen(function* () {
      const { spans } = yield* turn({ "x-request-id": "req-7" })
      assert.strictEqual(requestOf(spans).attributes["aap.request.id"], "req-7")
      assert.isUndefined(spans.find(({ attributes }) => attributes["url.path"] === "/healthz"))
      assert.deepStrictEqual(named(spans, "store ping"), [])
    })
  )

  it.live("tell nothing of what is said, and no header", () =>
    Effect.gen(function* () {
      const { taken } = yield* turn({ "idempotency-key": "key-in-a-header", authorization: "Bearer key-in-a-header" })
      const text = taken.text()
      assert.include(text, "execute_tool look")
      for (const word of [...said, "too bright", "secret-in-an-option", "key-in-a-header"])
        assert.notInclude(text, word)
    })
  )

  it.live("tell it where that is asked for, but never secret options", () =>
    Effect.gen(function* () {
      const { spans, taken } = yield* turn({}, { captureContent: true })
      const [first, second] = named(spans, "chat m")
      assert.deepStrictEqual(JSON.parse(String(first?.attributes["gen_ai.input.messages"])), [
        { role: "user", parts: [{ type: "text", content: "where-in-a-question is it?" }] }
      ])
      assert.deepStrictEqual(JSON.parse(String(first?.attributes["gen_ai.output.messages"])), [
        {
          role: "assistant",
          parts: [
            { type: "text", content: "Looking closely." },
            { type: "tool_call", name: "look", arguments: '{"at":"moon-in-a-call"}' },
            { type: "tool_call", name: "look", arguments: '{"at":"sun"}' }
          ],
          finish_reason: "tool_calls"
        }
      ])
      assert.include(String(second?.attributes["gen_ai.output.messages"]), "It is there-in-an-answer.")
      assert.notInclude(taken.text(), "secret-in-an-option")
    })
  )

  it.live("tell no secret option that a model repeats, whoever asks for content", () =>
    Effect.gen(function* () {
      const repeats = Scripted.text("The token is secret-in-an-option.")
      const { spans, taken } = yield* turn({}, { captureContent: true }, [repeats])
      assert.include(String(named(spans, "chat m")[0]?.attributes["gen_ai.output.messages"]), "The token is […].")
      assert.notInclude(taken.text("/v1/traces"), "secret-in-an-option")
    })
  )

  it.live("tell no parameter of an address but the protocol's own", () =>
    Effect.gen(function* () {
      const taken = yield* told({}, ask("/sessions?after=a-cursor&api_key=key-in-a-query"))
      const [{ attributes } = assert.fail("the request has no span")] = taken.spans().filter(({ kind }) => kind === 2)
      assert.strictEqual(attributes["url.query"], "after=a-cursor&api_key=REDACTED")
      assert.notInclude(taken.text(), "key-in-a-query")
    })
  )

  it.live("of a tool's own tell the name of an error, and no words of it", () =>
    Effect.gen(function* () {
      const search = Effect.fn("search")((at: string) => Effect.fail(new TooDark({ message: `nothing at ${at}` })))
      const tool = ServerTool.make({
        name: "find",
        description: "",
        input: Schema.Struct({ at: Schema.String }),
        handler: ({ at }) => search(at)
      })
      const model = Scripted.layer([Scripted.call("find", { at: "moon-in-a-call" }), Scripted.text("Not there.")])
      const agents = [Agent.make({ name: "agent", instructions: "", tools: ["find"] })]
      const setup = { agent: { name: "agent", tools: [{ name: "find", trust: true }] } }
      const taken = yield* told(
        { agents, tools: ToolRegistry.layer(tool), model },
        Effect.flatMap(openSession(setup), (id) => ask(`/sessions/${id}/turns`, { body: says("where?") }))
      )
      assert.isTrue(named(taken.spans(), "search")[0]?.isError)
      assert.include(taken.text("/v1/traces"), "TooDark")
      assert.notInclude(taken.text("/v1/traces"), "moon-in-a-call")
    })
  )

  it.live("are those of the first request alone where another joins its turn, and that says so", () =>
    Effect.gen(function* () {
      const taken = yield* told(
        {},
        Effect.flatMap(openSession(), (id) =>
          Effect.forEach(["first", "second"], (name) =>
            ask(`/sessions/${id}/turns`, {
              body: says("hello"),
              headers: { "idempotency-key": "key-of-a-request", "x-request-id": name }
            })
          )
        )
      )
      const spans = taken.spans()
      const requests = spans.filter(({ attributes }) => attributes["http.route"] === "/sessions/:id/turns")
      assert.deepStrictEqual(
        requests.map(({ attributes, spanId }) => [
          attributes["aap.request.id"],
          attributes["aap.turn.repeated"],
          attributes["gen_ai.conversation.id"],
          outline(spans, spanId).filter((line) => !line.startsWith(" "))
        ]),
        [
          ["first", undefined, undefined, ["store get", "store accept", "invoke_agent agent"]],
          ["second", true, "sess_001", ["store get", "store accept"]]
        ]
      )
      assert.notInclude(taken.text(), "key-of-a-request")
    })
  )

  it.live("end as failed, each request by itself, and in no words of the provider", () =>
    Effect.gen(function* () {
      const fails = Scripted.fail({ reason: "overloaded", message: "words-of-a-provider", retryable: true })
      const { spans, taken } = yield* turn({}, {}, () => fails)
      const chats = named(spans, "chat m")
      assert.deepStrictEqual(
        chats.map(({ attributes, isError }) => [isError, attributes["error.type"]]),
        [0, 1, 2].map(() => [true, "overloaded"])
      )
      const [told] = named(spans, "invoke_agent agent")
      assert.isTrue(told?.isError)
      assert.deepInclude(told?.attributes, { "aap.stop_reason": "error", "error.type": "overloaded" })
      assert.notInclude(taken.text("/v1/traces"), "words-of-a-provider")
    })
  )

  it.live("are none where nobody sees them: the provider is told of none, and logs name the caller's", () =>
    Effect.gen(function* () {
      const heard: Array<IncomingHttpHeaders> = []
      const lines: Array<Readonly<Record<string, unknown>>> = []
      const port = yield* serve((request, response) => {
        heard.push(request.headers)
        response.writeHead(400).end()
      })
      const model = Gemini.layer({ baseUrl: `http://127.0.0.1:${port}` })
      const logger = Logger.map(JsonLog.format, (line) => void lines.push(JSON.parse(line)))
      const caller = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" }
      const traced = { headers: { traceparent: `00-${caller.traceId}-${caller.spanId}-01` } }
      yield* Effect.gen(function* () {
        const id = yield* openSession()
        yield* ask(`/sessions/${id}/turns`, { ...traced, body: says("hello") })
        yield* ask(`/sessions/${id}/turns`, { body: says("hello") })
      }).pipe(
        Effect.provide(
          testServer({ model: Layer.provide(model, NodeHttpClient.layerNodeHttp) }).pipe(
            Layer.provide(Logger.layer([logger]))
          ),
          { local: true }
        )
      )
      assert.deepStrictEqual(
        heard.map(({ traceparent }) => traceparent),
        [undefined, undefined]
      )
      const [first, second] = lines.filter(({ message }) => message === "a turn failed")
      assert.deepInclude(first, caller)
      assert.doesNotHaveAnyKeys(second, ["traceId", "spanId"])
    })
  )

  it.live("are above the request to the provider, which is told of them and whose key they do not tell", () =>
    Effect.gen(function* () {
      const taken = yield* collector
      const heard: Array<IncomingHttpHeaders> = []
      const port = yield* serve((request, response) => {
        heard.push(request.headers)
        response.writeHead(400).end()
      })
      const model = Gemini.layer({ baseUrl: `http://127.0.0.1:${port}`, apiKey: Redacted.make("key-of-a-provider") })
      yield* Effect.flatMap(openSession(), (id) => ask(`/sessions/${id}/turns`, { body: says("hello") })).pipe(
        Effect.provide(
          testServer({ model: Layer.provide(model, NodeHttpClient.layerNodeHttp) }).pipe(Layer.provide(taken.layer)),
          { local: true }
        )
      )
      const spans = taken.spans()
      const sent = spans.find(({ attributes }) => attributes["server.port"] === port)
      const chat = spans.find(({ name }) => name.startsWith("chat"))
      assert.strictEqual(sent?.parentSpanId, chat?.spanId)
      assert.strictEqual(heard[0]?.["traceparent"], `00-${chat?.traceId}-${sent?.spanId}-01`)
      assert.strictEqual(heard[0]?.["x-goog-api-key"], "key-of-a-provider")
      assert.notInclude(taken.text(), "key-of-a-provider")
    })
  )

  it.live("end though their client has gone, as interrupted", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const hangs = Scripted.reply(
        Scripted.text("Well"),
        Scripted.wait(Effect.andThen(Deferred.succeed(begun, undefined), Effect.never))
      )
      const { spans } = yield* turn({}, {}, [hangs], Deferred.await(begun))
      const [told] = named(spans, "invoke_agent agent")
      assert.deepInclude(told?.attributes, { "aap.stop_reason": "error", "error.type": "interrupted" })
      assert.strictEqual(named(spans, "chat m")[0]?.attributes["error.type"], "interrupted")
    })
  )
})
