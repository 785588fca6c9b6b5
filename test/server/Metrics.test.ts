import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Metric, Redacted, Schema } from "effect"
import * as Agent from "../../src/agent/Agent.ts"
import * as Scripted from "../../src/model/Scripted.ts"
import type { ServerOptions } from "../../src/server/Server.ts"
import * as MemorySessionStore from "../../src/session/MemorySessionStore.ts"
import { LeaseLost, SessionStore, StoreError } from "../../src/session/SessionStore.ts"
import * as ServerTool from "../../src/tool/ServerTool.ts"
import { ToolRegistry } from "../../src/tool/ToolRegistry.ts"
import { collector } from "../support/OtlpCollector.ts"
import { ask, openSession, says, takeTurn, testServer } from "../support/TestServer.ts"

/** Prometheus' text format, by name and labels. It throws at a line that is none of it. */
const parse = (text: string): ReadonlyMap<string, number> =>
  new Map(
    text
      .trimEnd()
      .split("\n")
      .filter((line) => !/^# (?:HELP|TYPE) [a-zA-Z_:][\w:]* \S/.test(line))
      .map((line) => {
        const [, series, value] =
          /^([a-zA-Z_:][\w:]*(?:\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*",?)+\})?) (\S+)$/.exec(line) ?? []
        if (series === undefined || Number.isNaN(Number(value))) throw new Error(`no line of Prometheus': ${line}`)
        return [series, Number(value)] as const
      })
  )

const read = (headers: Readonly<Record<string, string>> = {}) =>
  Effect.map(ask("/metrics", { headers }), ({ headers, status, text }) => {
    assert.strictEqual(status, 200, text)
    assert.strictEqual(headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8")
    return parse(text)
  })

/** The series of a name, with their labels. */
const series = (metrics: ReadonlyMap<string, number>, name: string) =>
  Object.fromEntries(
    [...metrics].flatMap(([key, value]) =>
      key === name || key.startsWith(`${name}{`) ? [[key.slice(name.length), value] as const] : []
    )
  )

const tool = (name: string, handler: () => Effect.Effect<string, { readonly message: string }>) =>
  ServerTool.make({ name, description: "", input: Schema.Struct({}), timeout: "20 millis", handler })

const tools = [
  tool("look", () => Effect.succeed("seen")),
  tool("fail", () => Effect.fail({ message: "no" })),
  tool("break", () => Effect.die(new Error("a bug"))),
  tool("hang", () => Effect.never)
]

const usage = { inputTokens: 100, outputTokens: 20 }
const replies: Readonly<Record<string, Scripted.Reply>> = {
  end: Scripted.reply(Scripted.text("Hello, ", "world."), Scripted.finish("stop", usage)),
  long: Scripted.reply(Scripted.text("On and on"), Scripted.finish("length")),
  refuse: Scripted.reply(Scripted.text("No."), Scripted.finish("refusal")),
  fail: Scripted.fail({ reason: "unauthorized" }),
  ask: Scripted.call("mine"),
  permit: Scripted.call("guarded"),
  tools: Scripted.reply(
    ...["look", "fail", "break", "hang", "nowhere"].map((name) => Scripted.call(name)),
    Scripted.call("look", "no JSON")
  )
}

const model = Scripted.layer(({ history }) => {
  const { content, role } = history.at(-1)?.message ?? {}
  return role === "user" ? (replies[String(content)] ?? []) : Scripted.text("Done.")
})

const registry = (metrics: Metric.MetricRegistry = new Map()) => Layer.succeed(Metric.MetricRegistry, metrics)

const plainServer = (options: ServerOptions = {}, store = MemorySessionStore.layer()) =>
  testServer({
    agents: [
      Agent.make({ name: "agent", instructions: "", tools: [...tools.map(({ spec }) => spec.name), "guarded"] })
    ],
    tools: ToolRegistry.layer(
      ...tools,
      tool("guarded", () => Effect.succeed(""))
    ),
    model,
    store,
    server: options
  })

/** A server whose metrics are its own. */
const server = (options?: ServerOptions, store?: Layer.Layer<SessionStore>) =>
  Layer.provide(plainServer(options, store), registry())

const trusting = {
  agent: { name: "agent", tools: [...tools.map(({ spec: { name } }) => ({ name, trust: true })), { name: "guarded" }] },
  tools: [{ name: "mine", description: "", parameters: { type: "object", properties: {} } }]
}

const turns = (contents: ReadonlyArray<string>, rest: object = {}) =>
  Effect.forEach(contents, (content) =>
    Effect.flatMap(openSession(trusting), (id) => takeTurn(id, says(content, rest)))
  )

describe("/metrics", () => {
  it.live("counts turns by the reason that they stopped for, and failures by theirs", () =>
    Effect.gen(function* () {
      yield* turns(["end", "end", "long", "refuse", "fail", "ask"])
      const metrics = yield* read()
      const by = (reason: string) => `{gen_ai_agent_name="agent",aap_stop_reason="${reason}"}`
      assert.deepStrictEqual(series(metrics, "aap_turns_total"), {
        [by("end_turn")]: 2,
        [by("max_tokens")]: 1,
        [by("refusal")]: 1,
        [by("error")]: 1,
        [by("tool_use")]: 1
      })
      assert.deepStrictEqual(series(metrics, "aap_errors_total"), { '{error_type="unauthorized"}': 1 })
    }).pipe(Effect.provide(server()))
  )

  it.live("tells deltas, tokens and times", () =>
    Effect.gen(function* () {
      yield* turns(["end", "end"], { stream: "delta" })
      const metrics = yield* read()
      const chat = 'gen_ai_operation_name="chat",gen_ai_provider_name="scripted"'
      assert.deepStrictEqual(series(metrics, "aap_deltas_total"), { "": 4 })
      assert.deepStrictEqual(series(metrics, "aap_turn_time_to_first_delta_seconds_count"), { "": 2 })
      assert.deepStrictEqual(series(metrics, "gen_ai_client_token_usage_sum"), {
        [`{${chat},gen_ai_token_type="input"}`]: 200,
        [`{${chat},gen_ai_token_type="output"}`]: 40
      })
      for (const name of ["duration", "time_to_first_chunk"]) {
        assert.deepStrictEqual(series(metrics, `gen_ai_client_operation_${name}_seconds_count`), { [`{${chat}}`]: 2 })
        const sum = series(metrics, `gen_ai_client_operation_${name}_seconds_sum`)[`{${chat}}`] ?? 0
        assert.isTrue(sum > 0 && sum < 60, `${sum}`)
      }
      assert.deepInclude(series(metrics, "aap_store_duration_seconds_count"), {
        '{aap_store_operation="create"}': 2,
        '{aap_store_operation="accept"}': 2,
        '{aap_store_operation="commit"}': 2
      })
    }).pipe(Effect.provide(server()))
  )

  it.live("counts tool calls by what became of them", () =>
    Effect.gen(function* () {
      yield* turns(["tools", "ask", "permit"])
      assert.deepStrictEqual(series(yield* read(), "aap_tool_calls_total"), {
        '{aap_tool_outcome="ok"}': 1,
        '{aap_tool_outcome="failed"}': 1,
        '{aap_tool_outcome="defect"}': 1,
        '{aap_tool_outcome="timeout"}': 1,
        '{aap_tool_outcome="rejected"}': 2,
        '{aap_tool_outcome="client"}': 1,
        '{aap_tool_outcome="permission"}': 1
      })
    }).pipe(Effect.provide(server()))
  )

  it.live("tells turns and streams while they are there", () =>
    Effect.gen(function* () {
      const running = yield* Deferred.make<void>()
      const gate = yield* Deferred.make<void>()
      const waits = Scripted.layer(() =>
        Scripted.reply(
          Scripted.text("Well"),
          Scripted.wait(Effect.andThen(Deferred.succeed(running, undefined), Deferred.await(gate)))
        )
      )
      yield* Effect.gen(function* () {
        const active = Effect.map(read(), (metrics) => [
          metrics.get("aap_turns_active"),
          metrics.get("aap_streams_active")
        ])
        assert.deepStrictEqual(yield* active, [0, 0])
        const id = yield* openSession()
        const turn = yield* Effect.forkChild(takeTurn(id, says("go", { stream: "delta" })))
        yield* Deferred.await(running)
        assert.deepStrictEqual(yield* active, [1, 1])
        assert.strictEqual((yield* takeTurn(id, says("me too"))).status, 409)
        yield* Deferred.succeed(gate, undefined)
        yield* Fiber.join(turn)
        assert.deepStrictEqual(yield* active, [0, 0])
        assert.deepStrictEqual(series(yield* read(), "aap_lease_conflicts_total"), {
          '{error_type="turn_in_progress"}': 1
        })
      }).pipe(
        Effect.provide(
          testServer({ model: waits }).pipe(Layer.provide(Layer.succeed(Metric.MetricRegistry, new Map())))
        )
      )
    })
  )

  it.live("counts leases that were lost and a store that is away", () =>
    Effect.gen(function* () {
      const broken = Layer.effect(
        SessionStore,
        Effect.map(SessionStore, (store) =>
          SessionStore.of({
            ...store,
            list: () => Effect.fail(new StoreError({ operation: "list", cause: "away" })),
            commit: ({ sessionId }) => Effect.fail(new LeaseLost({ id: sessionId }))
          })
        )
      ).pipe(Layer.provide(MemorySessionStore.layer()))
      yield* Effect.gen(function* () {
        assert.strictEqual((yield* ask("/sessions")).status, 503)
        yield* turns(["end"])
        const metrics = yield* read()
        assert.deepInclude(series(metrics, "aap_errors_total"), {
          '{error_type="store_unavailable"}': 1,
          '{error_type="lease_lost"}': 1
        })
        assert.isAtLeast(series(metrics, "aap_lease_conflicts_total")['{error_type="lease_lost"}'] ?? 0, 1)
      }).pipe(Effect.provide(server({}, broken)))
    })
  )

  it.live("names no session, no model, no tool and nothing that is said", () =>
    Effect.gen(function* () {
      const id = yield* openSession({ ...trusting })
      yield* takeTurn(id, says("tools"))
      const { text } = yield* ask("/metrics")
      for (const word of [id, "call_001", "nowhere", "Done.", "look"]) assert.notInclude(text, word)
    }).pipe(Effect.provide(server()))
  )
})

describe("exported metrics", () => {
  it.live("have units, beside their points", () =>
    Effect.gen(function* () {
      const taken = yield* collector
      yield* Effect.provide(
        turns(["tools", "end"], { stream: "delta" }),
        plainServer().pipe(Layer.provide(taken.layer), Layer.provide(registry())),
        {
          local: true
        }
      )
      const text = taken.text("/v1/metrics")
      const units = new Map(
        [...text.matchAll(/"name":"([\w.]+)","description":"[^"]*","unit":"([^"]*)"/g)].map(([, name, unit]) => [
          name,
          unit
        ])
      )
      assert.deepInclude(Object.fromEntries(units), {
        "aap.turns.active": "{turn}",
        "aap.streams.active": "{stream}",
        "aap.turns": "{turn}",
        "aap.deltas": "{delta}",
        "aap.tool.calls": "{call}",
        "aap.store.duration": "s",
        "gen_ai.client.token.usage": "{token}"
      })
      assert.notInclude(text, '"key":"unit"')
    })
  )
})

describe("other metrics of the process", () => {
  it.live("keep their names at /metrics", () =>
    Effect.gen(function* () {
      const metrics: Metric.MetricRegistry = new Map()
      const counted = Effect.gen(function* () {
        yield* Metric.update(Metric.gauge("app.duration"), 3)
        return yield* read()
      })
      const told = yield* counted.pipe(
        Effect.provide(Layer.provide(plainServer(), registry(metrics))),
        Effect.provideService(Metric.MetricRegistry, metrics)
      )
      assert.strictEqual(told.get("app_duration"), 3)
    })
  )
})

const alice = { name: "alice", key: Redacted.make("key-of-alice") }

describe("who may read /metrics", () => {
  const status = (headers: Readonly<Record<string, string>> = {}) =>
    Effect.map(ask("/metrics", { headers }), ({ status }) => status)

  it.live("is this machine where there are no keys, and no page from elsewhere", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* status(), 200)
      assert.strictEqual(yield* status({ origin: "https://elsewhere.example" }), 403)
    }).pipe(Effect.provide(server()))
  )

  it.live("is who has a key where there are keys, also on loopback", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        [
          yield* status(),
          yield* status({ authorization: "Bearer nobody's" }),
          yield* status({ authorization: "Bearer key-of-alice" })
        ],
        [401, 401, 200]
      )
      assert.deepStrictEqual([(yield* ask("/healthz")).status, (yield* ask("/readyz")).status], [200, 200])
    }).pipe(Effect.provide(server({ apiKeys: [alice] })))
  )

  it.live("is anybody where it is open", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* status(), 200)
    }).pipe(Effect.provide(server({ apiKeys: [alice], metrics: "open" })))
  )

  it.live("is nobody where it is off", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* status({ authorization: "Bearer key-of-alice" }), 404)
    }).pipe(Effect.provide(server({ apiKeys: [alice], metrics: "off" })))
  )
})
