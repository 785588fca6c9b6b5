import { execFile } from "node:child_process"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { HistoryMessage } from "../../src/protocol/Message.ts"
import { MockModel } from "../support/models/MockModel.ts"
import { MockOpenAi } from "../support/openai/MockOpenAi.ts"
import { askProcess, type ServerProcess, startServer, streamTurn } from "../support/ServerProcess.ts"
import { temporaryFolder } from "../support/TemporaryFile.ts"

const onFile = Effect.map(temporaryFolder, (folder) => ({ DATABASE_URL: `sqlite:${join(folder, "aap.db")}` }))

const openSession = (server: ServerProcess, tools: ReadonlyArray<object> = []) =>
  Effect.map(
    askProcess(server, "/sessions", { agent: { name: "assistant", tools } }),
    ({ json }) => (json as { sessionId: string }).sessionId
  )

const history = (server: ServerProcess, id: string) =>
  Effect.map(
    askProcess(server, `/sessions/${id}/history?type=full`),
    ({ json }) => (json as { history: { full: ReadonlyArray<HistoryMessage> } }).history.full
  )

const takeTurn = (server: ServerProcess, id: string, content: string) =>
  Effect.map(
    askProcess(server, `/sessions/${id}/turns`, { messages: [{ role: "user", content }] }),
    ({ json }) => json as { stopReason: string; messages: ReadonlyArray<HistoryMessage> }
  )

/** A page that never comes, and a way to wait until somebody asks for it. */
const silentPage = Effect.acquireRelease(
  Effect.callback<{ readonly url: string; readonly asked: Effect.Effect<void>; readonly close: () => void }>(
    (resume) => {
      const server = createServer()
      const asked = Effect.callback<void>((resume) => void server.once("request", () => resume(Effect.void)))
      const close = () => {
        server.closeAllConnections()
        server.close()
      }
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        resume(Effect.succeed({ url: `http://127.0.0.1:${port}/`, asked, close }))
      })
    }
  ),
  ({ close }) => Effect.sync(close)
)

describe("the server process", () => {
  it.live("prints a command that works as it stands", () =>
    Effect.gen(function* () {
      const server = yield* startServer(yield* onFile)
      assert.include(server.banner, "model     demo")
      const command = server.banner.slice(server.banner.indexOf("curl "))
      const output = yield* Effect.callback<string>((resume) => {
        execFile("bash", ["-c", command], (_, stdout) => resume(Effect.succeed(stdout)))
      })
      assert.match(output, /^event: turn_start\ndata: \{\}\n\n/)
      assert.include(output, '"name":"current_time"')
      assert.match(output, /event: turn_stop\ndata: \{"stopReason":"end_turn"\}\n\n$/)
    })
  )

  it.live("finishes its turns on SIGTERM, and exits with 0", () =>
    Effect.gen(function* () {
      const env = yield* onFile
      const server = yield* startServer(env)
      const id = yield* openSession(server)
      const turn = yield* streamTurn(server, id, "long 30")
      yield* turn.until("text_delta")
      yield* server.kill("SIGTERM")
      assert.match(yield* turn.rest, /turn_stop\ndata: \{"stopReason":"end_turn"\}\n\n$/)
      assert.strictEqual(yield* server.exit, 0)
    })
  )

  it.live("tells the clients of turns that are too long, and exits with 0", () =>
    Effect.gen(function* () {
      const env = yield* onFile
      const server = yield* startServer({ ...env, AAP_DRAIN_TIMEOUT: "1" })
      const id = yield* openSession(server)
      const turn = yield* streamTurn(server, id, "long 9000")
      yield* turn.until("text_delta")
      yield* server.kill("SIGTERM")
      const heard = yield* turn.rest
      assert.match(heard, /turn_stop\ndata: \{"stopReason":"error"\}\n\n$/)
      assert.strictEqual(yield* server.exit, 0)
      const next = yield* startServer(env)
      const said = heard.match(/"delta":"([^"]*)"/g)?.length ?? 0
      const [, partial] = yield* history(next, id)
      assert.strictEqual(String(partial?.content).split(" ").length, said)
    })
  )

  it.live("has every session after kill -9 in the middle of a turn, free at once", () =>
    Effect.gen(function* () {
      const env = yield* onFile
      const server = yield* startServer(env)
      const id = yield* openSession(server)
      yield* takeTurn(server, id, "my name is Ada")
      const turn = yield* streamTurn(server, id, "long 9000")
      yield* turn.until("text_delta")
      yield* server.kill("SIGKILL")
      yield* server.exit
      const next = yield* startServer(env)
      const roles = (yield* history(next, id)).map(({ role }) => role)
      assert.deepStrictEqual(roles, ["user", "assistant", "user"])
      assert.include(JSON.stringify(yield* takeTurn(next, id, "what is my name")), "Your name is Ada.")
    })
  )

  it.live("says of a tool that ran at kill -9 that nobody knows, and never runs it again", () =>
    Effect.gen(function* () {
      const page = yield* silentPage
      const env = { ...(yield* onFile), AAP_WEB_FETCH_ALLOW: "127.0.0.1" }
      const server = yield* startServer(env)
      const tools = [
        { name: "web_fetch", trust: true },
        { name: "current_time", trust: true }
      ]
      const id = yield* openSession(server, tools)
      yield* streamTurn(server, id, `what time is it, and fetch ${page.url}`)
      yield* page.asked
      yield* server.kill("SIGKILL")
      yield* server.exit
      const next = yield* startServer(env)
      const results = (yield* history(next, id)).filter(({ role }) => role === "tool").map(({ content }) => content)
      assert.strictEqual(results.length, 2)
      assert.isTrue(results.some((content) => String(content).includes("outcome unknown")))
      assert.strictEqual((yield* takeTurn(next, id, "my name is Ada")).stopReason, "end_turn")
    })
  )

  it.live("answers a request again that its predecessor died over, and runs nothing twice", () =>
    Effect.gen(function* () {
      const env = yield* onFile
      const server = yield* startServer(env)
      const id = yield* openSession(server, [{ name: "current_time", trust: true }])
      const send = (to: ServerProcess) =>
        Effect.promise(async () => {
          const response = await fetch(`${to.baseUrl}/sessions/${id}/turns`, {
            method: "POST",
            headers: { "content-type": "application/json", "idempotency-key": "one" },
            body: JSON.stringify({ stream: "message", messages: [{ role: "user", content: "what time is it?" }] })
          })
          const reader = response.body?.getReader()
          const first = Buffer.from((await reader?.read())?.value ?? []).toString()
          const rest = async (): Promise<string> => {
            const part = await reader?.read()
            return part === undefined || part.done ? "" : Buffer.from(part.value).toString() + (await rest())
          }
          return { first, rest }
        })
      const cut = yield* send(server)
      assert.include(cut.first, "turn_start")
      yield* server.kill("SIGKILL")
      yield* server.exit
      yield* Effect.promise(() => cut.rest().catch(() => ""))
      const next = yield* startServer(env)
      const { first, rest } = yield* send(next)
      assert.include(first + (yield* Effect.promise(rest)), 'event: turn_stop\ndata: {"stopReason":"error"}')
      const users = (yield* history(next, id)).filter(({ role }) => role === "user")
      assert.strictEqual(users.length, 1)
    })
  )

  it.live("speaks with an OpenAI-compatible server", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* MockOpenAi
      const server = yield* startServer({ ...(yield* onFile), AAP_MODEL: "openai/plain", OPENAI_BASE_URL: baseUrl })
      assert.include(server.banner, "openai/plain")
      const id = yield* openSession(server)
      assert.deepStrictEqual(yield* takeTurn(server, id, "hi"), {
        stopReason: "end_turn",
        messages: [{ role: "assistant", content: "Hello, world" }]
      })
      const other = { agent: { options: { model: "finish length" } }, messages: [{ role: "user", content: "hi" }] }
      const { json } = yield* askProcess(server, `/sessions/${id}/turns`, other)
      assert.strictEqual((json as { stopReason: string }).stopReason, "max_tokens")
    }).pipe(Effect.provide(MockOpenAi.layer))
  )

  it.live.each([
    { provider: "openai", base: "OPENAI_BASE_URL", key: "OPENAI_API_KEY" },
    { provider: "openai-responses", base: "OPENAI_BASE_URL", key: "OPENAI_API_KEY" },
    { provider: "anthropic", base: "ANTHROPIC_BASE_URL", key: "ANTHROPIC_API_KEY" },
    { provider: "gemini", base: "GEMINI_BASE_URL", key: "GEMINI_API_KEY" }
  ])("speaks to $provider, with its key", ({ base, key, provider }) =>
    Effect.gen(function* () {
      const { baseUrl } = yield* MockModel
      const env = { DATABASE_URL: "memory:", AAP_MODEL: `${provider}/text`, [base]: baseUrl, [key]: "secret" }
      const server = yield* startServer(env)
      assert.notInclude(server.banner, "secret")
      assert.deepStrictEqual(yield* takeTurn(server, yield* openSession(server), "hi"), {
        stopReason: "end_turn",
        messages: [{ role: "assistant", content: "Grüße, 東京 🎈" }]
      })
    }).pipe(Effect.provide(MockModel.layer(provider)))
  )

  it.live("asks the next model of its list when one fails", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* MockModel
      const env = { DATABASE_URL: "memory:", ANTHROPIC_BASE_URL: baseUrl, ANTHROPIC_API_KEY: "secret" }
      const server = yield* startServer({ ...env, AAP_MODEL: "anthropic/nobody, anthropic/limited,anthropic/text" })
      assert.strictEqual((yield* takeTurn(server, yield* openSession(server), "hi")).stopReason, "end_turn")
    }).pipe(Effect.provide(MockModel.layer("anthropic")))
  )

  it.live("leaves the model when its client leaves", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* MockOpenAi
      const model = "openai/silence-after-some-text"
      const server = yield* startServer({ DATABASE_URL: "memory:", AAP_MODEL: model, OPENAI_BASE_URL: baseUrl })
      const id = yield* openSession(server)
      const turn = yield* streamTurn(server, id, "hi")
      yield* turn.until("Hello")
      yield* turn.leave
      const aborted = yield* Effect.promise(async () => (await fetch(`${baseUrl}/aborted`)).text())
      assert.strictEqual(aborted, "1")
    }).pipe(Effect.provide(MockOpenAi.layer))
  )

  it.live.each([
    { env: { PORT: "http" }, says: 'PORT: "http" is no port; give a number from 0 to 65535' },
    {
      env: { AAP_MODEL: "gpt" },
      says: 'AAP_MODEL: "gpt" is no model; give demo, or openai/MODEL, openai-responses/MODEL'
    },
    { env: { AAP_MODEL: "openai/gpt-5," }, says: 'AAP_MODEL: "" is no model' },
    { env: { DATABASE_URL: "mysql://x" }, says: 'DATABASE_URL: "mysql:…" is no database; give sqlite:PATH' },
    { env: { DATABASE_URL: "postgres://u:secret@[" }, says: 'DATABASE_URL: "postgres:…" is no database' },
    { env: { DATABASE_URL: "postgres://u@127.0.0.1/x" }, says: "AAP_SECRET_KEY: it is needed with PostgreSQL" },
    {
      env: { AAP_SECRET_KEY: "short", DATABASE_URL: "memory:" },
      says: "AAP_SECRET_KEY: it cannot be used: it is no key of 32 bytes"
    },
    { env: { OPENAI_API_KEY: "secret with blanks" }, says: "OPENAI_API_KEY: it is no key" },
    { env: { AAP_WEB_FETCH_ALLOW: "10.0.0.0/99" }, says: 'AAP_WEB_FETCH_ALLOW: "10.0.0.0/99" is no host' },
    { env: { DATABASE_URL: "sqlite:/dev/null/x.db" }, says: "DATABASE_URL: /dev/null/x.db cannot be opened" },
    { env: { AAP_API_KEYS: "secret" }, says: "AAP_API_KEYS: key 1 is no NAME:KEY; give a list" },
    {
      env: { HOST: "0.0.0.0" },
      says: "HOST: 0.0.0.0 can be reached from elsewhere, and there are no keys; set AAP_API_KEYS=name:key, make one with effect-aap keys add NAME, or set"
    },
    { env: { AAP_LIMIT_REQUESTS: "many" }, says: 'AAP_LIMIT_REQUESTS: "many" is no limit; give a number from 1' },
    { env: { AAP_LIMIT_TURNS: "0" }, says: 'AAP_LIMIT_TURNS: "0" is no limit' },
    { env: { AAP_LIMIT_SESSIONS: "-1" }, says: 'AAP_LIMIT_SESSIONS: "-1" is no limit' },
    { env: { OPENAI_BASE_URL: "x" }, says: 'OPENAI_BASE_URL: "x" is no address' },
    { env: { AAP_SESSION_AGE: "soon" }, says: 'AAP_SESSION_AGE: "soon" is no age; give a number of days' },
    { env: { AAP_BODY_LIMIT: "-1" }, says: 'AAP_BODY_LIMIT: "-1" is no size' },
    { env: { AAP_HEARTBEAT: "soon" }, says: 'AAP_HEARTBEAT: "soon" is no time' }
  ])("refuses to start with $env, and says why", ({ env, says }) =>
    Effect.gen(function* () {
      const server = yield* startServer({ DATABASE_URL: "memory:", ...env })
      assert.include(server.banner, `effect-aap cannot start. ${says}`)
      assert.notInclude(server.banner, "    at ")
      assert.notInclude(server.banner, "secret")
      assert.strictEqual(yield* server.exit, 1)
    })
  )

  it.live("says that its port is taken", () =>
    Effect.gen(function* () {
      const first = yield* startServer({ DATABASE_URL: "memory:" })
      const port = new URL(first.baseUrl).port
      const second = yield* startServer({ DATABASE_URL: "memory:", PORT: port })
      assert.include(second.banner, `PORT: cannot listen on 127.0.0.1:${port}`)
      assert.strictEqual(yield* second.exit, 1)
    })
  )
})
