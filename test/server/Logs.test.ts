import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import * as Agent from "../../src/agent/Agent.ts"
import * as Scripted from "../../src/model/Scripted.ts"
import type { ServerOptions } from "../../src/server/Server.ts"
import * as MemorySessionStore from "../../src/session/MemorySessionStore.ts"
import { SessionStore, StoreError } from "../../src/session/SessionStore.ts"
import * as ServerTool from "../../src/tool/ServerTool.ts"
import { ToolRegistry } from "../../src/tool/ToolRegistry.ts"
import { collector } from "../support/OtlpCollector.ts"
import { ask, openSession, says, testServer } from "../support/TestServer.ts"

/** A tool whose bug quotes its input. */
const parse = ServerTool.make({
  name: "parse",
  description: "",
  input: Schema.Struct({ text: Schema.String }),
  handler: ({ text }) => Effect.die(new SyntaxError(`"${text}" is not valid JSON`))
})

const question = "where did Ada Lovelace live?"
const secret = "secret-in-an-option"

/** A provider that says why, quotes what it was asked, and its instructions. */
const echoes = Scripted.fail({
  reason: "invalid_request",
  message: `the model gpt-9 cannot read {"content":"${question}"} with ${secret}`
})

const agent = Agent.make({
  name: "agent",
  instructions: ({ token = "" }) => `use ${token}`,
  tools: ["parse"],
  options: [{ name: "token", type: "secret" as const, default: "" }]
})

const setup = { agent: { name: "agent", tools: [{ name: "parse", trust: true }], options: { token: secret } } }

/** A database whose errors have fields of their own, as a driver's do. */
const failing = Layer.effect(
  SessionStore,
  Effect.map(SessionStore, (store) =>
    SessionStore.of({
      ...store,
      list: () => {
        const cause = Object.assign(new Error("a check failed"), { detail: `Failing row contains (${question})` })
        return Effect.fail(new StoreError({ operation: "list", cause }))
      }
    })
  )
).pipe(Layer.provide(MemorySessionStore.layer()))

/** What is logged of a turn, as lines and as a collector is told it. */
const logged = (script: Scripted.Script, server: ServerOptions = {}) =>
  Effect.gen(function* () {
    const taken = yield* collector
    yield* Effect.gen(function* () {
      const id = yield* openSession(setup)
      yield* ask(`/sessions/${id}/turns`, { body: says(question), headers: { "x-request-id": "req-1" } })
      yield* ask("/sessions")
    }).pipe(
      Effect.provide(
        testServer({
          agents: [agent],
          tools: ToolRegistry.layer(parse),
          model: Scripted.layer(script),
          store: failing,
          server
        }).pipe(Layer.provide(taken.layer)),
        { local: true }
      )
    )
    const lines = taken.lines().map((line): Readonly<Record<string, unknown>> => JSON.parse(line))
    return { lines, exported: taken.text("/v1/logs"), traces: taken.text("/v1/traces") }
  })

const find = (lines: ReadonlyArray<Readonly<Record<string, unknown>>>, message: string) =>
  lines.find((line) => line["message"] === message) ?? assert.fail(`nothing is logged of: ${message}`)

/** A database, or a bug, whose words quote what is to be written. */
const echoing = (fail: (message: string) => Effect.Effect<never, StoreError>) =>
  Layer.effect(
    SessionStore,
    Effect.map(SessionStore, (store) =>
      SessionStore.of({
        ...store,
        create: (owner, session, history, keyed) =>
          history.length === 0
            ? store.create(owner, session, history, keyed)
            : fail(`cannot create ${JSON.stringify({ session, history })}`),
        accept: () => fail(`cannot write "${question}" with other-secret and ${answer}`),
        remembered: () => Effect.die("not asked")
      })
    )
  ).pipe(Layer.provide(MemorySessionStore.layer()))

const answer = "Ada lived in London"

describe("log lines", () => {
  it.live("name their request, session, turn and span", () =>
    Effect.gen(function* () {
      const { lines, traces } = yield* logged([echoes])
      const line = find(lines, "a turn failed")
      assert.deepInclude(line, { level: "WARN", requestId: "req-1", sessionId: "sess_001", turnId: "sess_001.1" })
      assert.match(String(line["timestamp"]), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
      assert.include(traces, String(line["traceId"]))
      assert.include(traces, String(line["spanId"]))
    })
  )

  it.live("say why something failed, without what they would quote of the session", () =>
    Effect.gen(function* () {
      const { exported, lines } = yield* logged([echoes])
      const error = String(find(lines, "a turn failed")["error"])
      assert.match(error, /^ModelError: the model gpt-9 cannot read \{"content":"\[…\]"\} with \[…\]\n {4}at /)
      for (const text of [exported, JSON.stringify(lines)]) {
        assert.include(text, "the model gpt-9 cannot read")
        for (const word of ["Lovelace", secret]) assert.notInclude(text, word)
      }
    })
  )

  it.live("of a tool's bug do not quote its input", () =>
    Effect.gen(function* () {
      const call = Scripted.call("parse", { text: "Ada Lovelace lived in London" })
      const { exported, lines } = yield* logged([call, Scripted.text("Well.")])
      const error = String(find(lines, "the tool parse failed unexpectedly")["error"])
      assert.match(error, /^SyntaxError: \[…\] is not valid JSON/)
      for (const text of [exported, error]) assert.notInclude(text, "Lovelace")
    })
  )

  it.live("of the database tell its sentence, and no field of its error", () =>
    Effect.gen(function* () {
      const { exported, lines } = yield* logged([Scripted.text("Well.")])
      assert.include(
        String(find(lines, "the session store failed")["error"]),
        "the database failed in list: a check failed"
      )
      for (const text of [exported, JSON.stringify(lines)]) assert.notInclude(text, "Failing row")
    })
  )

  it.live("quote what is said where that is asked for, but never secret options", () =>
    Effect.gen(function* () {
      const { lines } = yield* logged([echoes], { captureContent: true })
      const error = String(find(lines, "a turn failed")["error"])
      assert.include(error, question)
      assert.notInclude(error, secret)
    })
  )

  it.live.each([
    {
      what: "a database",
      message: "the session store failed",
      fail: (message: string) => Effect.fail(new StoreError({ operation: "write", cause: new Error(message) }))
    },
    {
      what: "a bug",
      message: "a request failed unexpectedly",
      fail: (message: string) => Effect.die(new Error(message))
    }
  ])("of $what before a turn is accepted quote nothing of the request", ({ fail, message }) =>
    Effect.gen(function* () {
      const taken = yield* collector
      yield* Effect.gen(function* () {
        const id = yield* openSession(setup)
        const seeded = { ...setup, messages: [{ role: "user", content: question }] }
        const body = {
          agent: { options: { token: "other-secret" } },
          messages: [
            { role: "tool", toolCallId: "call_1", content: [{ type: "text", text: answer }] },
            { role: "user", content: question }
          ]
        }
        yield* ask("/sessions", { body: seeded })
        yield* ask(`/sessions/${id}/turns`, { body })
      }).pipe(
        Effect.provide(
          testServer({ agents: [agent], tools: ToolRegistry.layer(parse), store: echoing(fail) }).pipe(
            Layer.provide(taken.layer)
          ),
          { local: true }
        )
      )
      const errors = taken.lines().flatMap((line) => {
        const { error, message: said } = JSON.parse(line) as Readonly<Record<string, unknown>>
        return said === message ? [String(error)] : []
      })
      assert.deepStrictEqual(
        errors.map((error) => /cannot (?:create|write)/.exec(error)?.[0]),
        ["cannot create", "cannot write"]
      )
      for (const word of ["Lovelace", "London", secret, "other-secret"]) {
        assert.notInclude(errors.join("\n"), word)
        assert.notInclude(taken.text("/v1/logs"), word)
      }
    })
  )

  it.live("are no longer than anybody reads", () =>
    Effect.gen(function* () {
      const long = Scripted.fail({ reason: "invalid_request", message: "far too much. ".repeat(100_000) })
      const { lines } = yield* logged([long])
      assert.isBelow(String(find(lines, "a turn failed")["error"]).length, 25_000)
    })
  )
})
