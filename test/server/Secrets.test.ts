import { randomBytes } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { dirname } from "node:path"
import { NodeHttpClient } from "@effect/platform-node"
import { PgClient } from "@effect/sql-pg"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Agent from "../../src/agent/Agent.ts"
import * as ConfiguredStore from "../../src/cli/ConfiguredStore.ts"
import * as OpenAiChat from "../../src/model/OpenAiChat.ts"
import type { DatabaseSetting } from "../../src/cli/DatabaseSetting.ts"
import * as SqliteClient from "../../src/session/SqliteClient.ts"
import * as Evidence from "../support/Evidence.ts"
import { serve } from "../support/LoopbackServer.ts"
import { Postgres, sharedBy } from "../support/Postgres.ts"
import { temporaryFile } from "../support/TemporaryFile.ts"
import { type Ask, ask, testServer } from "../support/TestServer.ts"

const marker = (name: string) => `${name}-${randomBytes(12).toString("hex")}`

/** What must be nowhere, and what must be in the answers and the database but in no log and no span. */
const makeMarkers = () => ({
  option: marker("option"),
  changed: marker("changed"),
  misplaced: marker("misplaced"),
  apiKey: marker("apikey"),
  wrongKey: marker("wrongkey"),
  providerKey: marker("providerkey"),
  password: marker("password"),
  secretKey: randomBytes(32).toString("base64"),
  said: marker("said")
})
type Markers = ReturnType<typeof makeMarkers>

/** A model's server: it repeats what it is told, or fails, and keeps what it was sent. */
const provider = Effect.gen(function* () {
  const heard: Array<string> = []
  const port = yield* serve((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (piece: string) => {
      body += piece
    })
    request.on("end", () => {
      heard.push(`${request.headers.authorization} ${body}`)
      const { messages } = JSON.parse(body) as { readonly messages: ReadonlyArray<{ readonly content: string }> }
      const last = String(messages.at(-1)?.content)
      if (last.startsWith("fail")) {
        response.writeHead(400, { "content-type": "application/json" })
        response.end(JSON.stringify({ error: { message: `not with the key ${request.headers.authorization}` } }))
        return
      }
      const chunks = [{ delta: { content: last } }, { delta: {}, finish_reason: "stop" }]
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.end(chunks.map((choice) => `data: ${JSON.stringify({ choices: [choice] })}\n\n`).join(""))
    })
  })
  return { port, heard: () => heard.join("\n") }
})

const options = [
  { type: "secret", name: "token", default: "" },
  { type: "select", name: "tone", options: ["kind", "dry"], default: "kind" }
] as const

/** One agent tells its model the secret, as its author wills; the other does not. */
const agents = [
  Agent.make({ name: "agent", instructions: "Repeat it.", options }),
  Agent.make({ name: "told", instructions: ({ token }) => `The token is ${token}.`, options })
]

/** A session's whole life, with all that can be refused and fail; what was answered. */
const live = Effect.fnUntraced(function* (markers: Markers, sql: SqlClient.SqlClient) {
  const answers: Array<string> = []
  const send = Effect.fnUntraced(function* (path: string, how: Ask = {}, key = markers.apiKey) {
    const headers = { authorization: `Bearer ${key}`, ...how.headers }
    const { headers: answered, status, text } = yield* ask(path, { ...how, headers })
    answers.push(`${status} ${JSON.stringify([...answered])} ${text}`)
    return { status, text }
  })
  const expect = (status: number, path: string, how: Ask = {}, key?: string) =>
    Effect.map(send(path, how, key), (answer) => {
      assert.strictEqual(answer.status, status, `${path} ${answer.text}`)
      return answer.text
    })
  const say = (content: string, rest: object = {}) => ({ ...rest, messages: [{ role: "user", content }] })
  const create = (name: string, headers = {}) =>
    Effect.map(
      expect(201, "/sessions", { headers, body: { agent: { name, options: { token: markers.option } } } }),
      (text) => (JSON.parse(text) as { readonly sessionId: string }).sessionId
    )
  const id = yield* create("agent", { "idempotency-key": "one" })
  assert.strictEqual(yield* create("agent", { "idempotency-key": "one" }), id)
  yield* expect(409, "/sessions", { headers: { "idempotency-key": "one" }, body: { agent: { name: "agent" } } })
  const turns = `/sessions/${id}/turns`
  for (const stream of ["none", "message", "delta"]) {
    const how = {
      headers: { "idempotency-key": stream },
      body: say(markers.said, { stream, agent: { options: { token: markers.changed } } })
    }
    assert.include(yield* expect(200, turns, how), markers.said)
    assert.include(yield* expect(200, turns, how), markers.said)
  }
  const told = yield* create("told")
  yield* expect(200, `/sessions/${told}/turns`, { body: say(markers.said) })
  assert.include(yield* expect(200, turns, { body: say(`fail ${markers.said}`) }), '"stopReason":"error"')

  const { misplaced } = markers
  const refused: ReadonlyArray<readonly [number, unknown]> = [
    [422, say("x", { agent: { options: { tone: misplaced } } })],
    [422, say("x", { agent: { options: { nobody: misplaced } } })],
    [422, say("x", { agent: { options: { token: misplaced, tone: "loud" } } })],
    [422, { messages: [{ role: "tool", toolCallId: "call_9", content: misplaced }] }],
    [400, say("x", { agent: { options: { token: [misplaced] } } })],
    [400, say("x", { agent: { options: { token: { [`is ${misplaced}`]: 1 } } } })],
    [400, say("x", { agent: misplaced })],
    [400, say("x", { stream: misplaced })],
    [400, { messages: [{ role: misplaced, content: "x" }] }],
    [400, { messages: misplaced }],
    [400, misplaced],
    [400, `{"agent":{"options":{"token":"${misplaced}"`],
    [413, say("x", { agent: { options: { token: misplaced.repeat(5000) } } })]
  ]
  for (const [status, body] of refused) yield* expect(status, turns, { body })
  for (const [status, body] of refused.slice(4)) yield* expect(status, "/sessions", { body })
  yield* expect(401, "/sessions", {}, markers.wrongKey)

  yield* sql`ALTER TABLE history RENAME TO elsewhere`
  for (const path of [turns, "/sessions"]) {
    const messages = [{ role: "user", content: markers.said }]
    yield* expect(503, path, { body: { agent: { name: "agent", options: { token: markers.changed } }, messages } })
  }
  yield* sql`ALTER TABLE elsewhere RENAME TO history`
  const wrong = JSON.stringify({ message: { role: markers.said, content: [markers.said] } })
  yield* sql`UPDATE history SET entry = ${wrong} WHERE session_id = ${told}`
  yield* expect(503, `/sessions/${told}/history?type=full`)
  yield* sql`UPDATE sessions SET tools = ${JSON.stringify([markers.said])} WHERE id = ${told}`
  yield* expect(503, `/sessions/${told}`)
  yield* sql`DELETE FROM sessions WHERE id = ${told}`

  yield* expect(200, "/sessions")
  assert.include(yield* expect(200, `/sessions/${id}`), '"token":"***"')
  assert.include(yield* expect(200, `/sessions/${id}/history?type=full`), markers.said)
  return answers.join("\n")
})

/** Fails where a text holds a marker, and tells which and what stands around it. */
const assertClean = (place: string, text: string, secrets: Readonly<Record<string, string>>) => {
  for (const [name, secret] of Object.entries(secrets)) {
    for (const form of [secret, encodeURIComponent(secret), Buffer.from(secret).toString("base64").slice(0, -4)]) {
      const at = text.indexOf(form)
      assert.strictEqual(at, -1, `${name} in ${place}: ${text.slice(Math.max(0, at - 300), at + 100)}`)
    }
  }
}

const postgres = sharedBy({ afterAll, beforeAll })

/** A database under a setting, a client of the test's, and all that it holds, as text. */
const sqlite = Effect.gen(function* () {
  const filename = yield* temporaryFile
  const read = () =>
    readdirSync(dirname(filename))
      .map((name) => readFileSync(`${dirname(filename)}/${name}`, "latin1"))
      .join("\n")
  return {
    database: { kind: "sqlite", filename } satisfies DatabaseSetting as DatabaseSetting,
    client: SqliteClient.layer({ filename }),
    dump: Effect.sync(read),
    closed: Effect.sync(read)
  }
})

const onPostgres = (password: string) =>
  Effect.gen(function* () {
    const plain = yield* (yield* Postgres).database
    const client = PgClient.layer({ url: Redacted.make(plain) })
    const dump = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const tables = yield* sql<{ readonly name: string }>`
        SELECT quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema = 'public'
      `
      const rows = yield* Effect.forEach(tables, ({ name }) => sql.unsafe<object>(`SELECT t::text FROM ${name} t`))
      return JSON.stringify(rows)
    }).pipe(Effect.provide(client), Effect.orDie)
    const url = Redacted.make(plain.replace("postgres@", `postgres:${password}@`))
    return {
      database: { kind: "postgres", url } satisfies DatabaseSetting as DatabaseSetting,
      client,
      dump,
      closed: dump
    }
  })

const places = [
  { name: "SQLite", place: () => sqlite },
  { name: "PostgreSQL", place: (markers: Markers) => onPostgres(markers.password) }
]

describe("secrets", () => {
  it.live.each(places)("are nowhere but in the model's request, over $name", ({ place }) =>
    Effect.gen(function* () {
      const markers = makeMarkers()
      const { said, ...secrets } = markers
      const evidence = Evidence.make()
      const { heard, port } = yield* provider
      const { client, closed, database, dump } = yield* place(markers)
      const model = OpenAiChat.layer({
        baseUrl: `http://127.0.0.1:${port}`,
        apiKey: Redacted.make(markers.providerKey)
      }).pipe(Layer.provide(NodeHttpClient.layerNodeHttp))
      const store = ConfiguredStore.layer({
        database,
        leaseDuration: Duration.seconds(30),
        limits: { requests: Option.none(), sessions: Option.none(), turns: Option.none() },
        secretKeys: [Redacted.make(markers.secretKey)]
      })
      const apiKeys = [{ name: "ada", key: Redacted.make(markers.apiKey) }]
      const server = testServer({
        agents,
        model,
        store: Layer.orDie(store),
        server: { apiKeys, bodyLimit: 100_000 }
      })
      const { answers, open } = yield* Effect.gen(function* () {
        const answers = yield* Effect.scoped(
          Effect.flatMap(Layer.build(client), (context) =>
            Effect.flatMap(Effect.provide(SqlClient.SqlClient, context), (sql) => live(markers, sql))
          )
        )
        return { answers, open: yield* dump }
      }).pipe(Effect.provide(server.pipe(Layer.provideMerge(evidence.layer))))
      const shut = yield* closed

      assertClean("the answers", answers, secrets)
      assertClean("the database as it runs", open, secrets)
      assertClean("the database afterwards", shut, secrets)
      assertClean("the logs", evidence.logs(), { ...secrets, said })
      assertClean("the spans", evidence.spans(), { ...secrets, said })

      // The same eyes see what is there to be seen.
      for (const text of [answers, open, shut, heard()]) assert.include(text, said)
      for (const secret of [markers.option, markers.providerKey]) assert.include(heard(), secret)
      assert.notInclude(heard(), markers.changed)
      assert.include(evidence.logs(), "the database failed in ")
      assert.include(evidence.logs(), "a turn failed")
      for (const span of ["invoke_agent told", "http.response.status_code", "store commit", "chat "])
        assert.include(evidence.spans(), span)
      assert.throws(() => assertClean("here", `x ${markers.option} y`, secrets), "option in here")
    }).pipe(Effect.provide(postgres))
  )
})
