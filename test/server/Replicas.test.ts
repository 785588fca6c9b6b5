import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Random, Result, Schema } from "effect"
import type { RequestListener } from "node:http"
import * as Pairing from "../../src/history/Pairing.ts"
import type { HistoryMessage } from "../../src/protocol/Message.ts"
import { serve } from "../support/LoopbackServer.ts"
import * as Strict from "../support/openai/strict.ts"
import { Postgres, sharedBy } from "../support/Postgres.ts"
import { askProcess, type ServerProcess, startServer, streamTurn } from "../support/ServerProcess.ts"
import { secretKey } from "../support/TestSecrets.ts"

const postgres = sharedBy({ afterAll, beforeAll })

/** What the user says at the end of a conversation; nothing where it ends otherwise. */
const lastSaid = (messages: Strict.Request["messages"]): string => {
  const last = messages.at(-1)
  if (last?.role !== "user") return ""
  if (typeof last.content === "string") return last.content
  const part = last.content.at(-1)
  return part?.type === "text" ? part.text : ""
}

/**
 * A model that asks for the time where it is asked for it, and else answers at once. It tells what a strict server would
 * refuse in what it is asked.
 */
const model =
  (flaws: Array<string> = []): RequestListener =>
  (request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (piece: string) => {
      body += piece
    })
    request.on("end", () => {
      const asked = Schema.decodeSync(Schema.fromJsonString(Strict.Request))(body)
      const wrong = Strict.flaw(asked)
      if (wrong !== undefined) flaws.push(wrong)
      const said = lastSaid(asked.messages)
      const delta = said.startsWith("Summarise the conversation.")
        ? { content: "They asked for the time." }
        : said.includes("what time is it")
          ? { tool_calls: [{ index: 0, id: "c", function: { name: "current_time", arguments: "{}" } }] }
          : { content: "Here." }
      const chunks = [{ delta }, { delta: {}, finish_reason: "stop" }].map((choice) =>
        JSON.stringify({ choices: [choice] })
      )
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.end([...chunks, "[DONE]"].map((data) => `data: ${data}\n\n`).join(""))
    })
  }

/** What was said before, and is more than a model is fed. */
const longAgo = Array.from(
  { length: 60 },
  (_, index): HistoryMessage => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `${index} ${"once ".repeat(80)}`
  })
)

const startReplica = (url: string, port: number) =>
  startServer({
    DATABASE_URL: url,
    AAP_SECRET_KEY: secretKey,
    AAP_LEASE: "2",
    AAP_MODEL: "openai/quick",
    AAP_COMPACT_ABOVE: "4000",
    OPENAI_BASE_URL: `http://127.0.0.1:${port}`
  })

const create = (server: ServerProcess, messages: ReadonlyArray<HistoryMessage> = []) =>
  Effect.map(
    askProcess(server, "/sessions", {
      agent: { name: "assistant", tools: [{ name: "current_time", trust: true }] },
      messages
    }),
    ({ json }) => (json as { readonly sessionId: string }).sessionId
  )

const history = (server: ServerProcess, id: string, type: "full" | "compacted" = "full") =>
  Effect.map(askProcess(server, `/sessions/${id}/history?type=${type}`), ({ json }) => {
    const { history } = json as { readonly history: { readonly [type: string]: ReadonlyArray<HistoryMessage> } }
    return history[type] ?? []
  })

/** What became of a turn: its status, or nothing where its server died under it. */
const take = (server: ServerProcess, id: string, content: string) =>
  Effect.promise(async () => {
    try {
      const response = await fetch(`${server.baseUrl}/sessions/${id}/turns`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ messages: [{ role: "user", content }] })
      })
      const { stopReason } = (await response.json()) as { readonly stopReason?: string }
      return { status: response.status, stopReason }
    } catch {
      return { status: 0, stopReason: undefined }
    }
  })

const timesSaid = (messages: ReadonlyArray<HistoryMessage>, content: string) =>
  messages.filter((message) => message.role === "user" && message.content === content).length

describe("several servers over one PostgreSQL", () => {
  it.live(
    "hold each session for one turn at a time, lose nothing and double nothing, while some are killed or frozen",
    () =>
      Effect.gen(function* () {
        const url = yield* (yield* Postgres).database
        const flaws: Array<string> = []
        const port = yield* serve(model(flaws))
        const replicas = yield* Effect.forEach([1, 2, 3], () => startReplica(url, port))
        const [first] = replicas
        if (first === undefined) return yield* Effect.die("no replica")
        const ids = yield* Effect.forEach([1, 2, 3, 4, 5, 6], () => create(first, longAgo))
        const outcomes: Array<{ readonly id: string; readonly content: string; readonly status: number }> = []
        let turns = 0

        const racer = (rounds: number) =>
          Effect.gen(function* () {
            for (let round = 0; round < rounds; round++) {
              const server = replicas[yield* Random.nextIntBetween(0, replicas.length - 1)] ?? first
              const id = ids[yield* Random.nextIntBetween(0, ids.length - 1)] ?? ""
              const ask = yield* Random.nextBoolean
              const content = `turn ${++turns}${ask ? ", what time is it" : ""}`
              const { status } = yield* take(server, id, content)
              outcomes.push({ id, content, status })
            }
          })
        const trouble = Effect.gen(function* () {
          for (let round = 0; round < 3; round++) {
            yield* Effect.sleep(yield* Random.nextIntBetween(200, 900))
            const at = yield* Random.nextIntBetween(1, replicas.length - 1)
            const victim = replicas[at]
            if (victim === undefined) continue
            if (yield* Random.nextBoolean) {
              yield* victim.kill("SIGSTOP")
              yield* Effect.sleep("2500 millis")
              yield* victim.kill("SIGCONT")
            } else {
              yield* victim.kill("SIGKILL")
              replicas[at] = yield* startReplica(url, port)
            }
          }
        })
        yield* Effect.all([...Array.from({ length: 8 }, () => racer(125)), trouble], { concurrency: "unbounded" }).pipe(
          Random.withSeed("replicas")
        )

        const accepted = outcomes.filter(({ status }) => status === 200)
        // 503 where a server froze in the middle of a transaction, which holds its session's row for a while.
        const refused = outcomes.filter(({ status }) => status === 409 || status === 503)
        assert.isAbove(accepted.length, 50)
        assert.strictEqual(outcomes.length, 1000)
        assert.deepStrictEqual(
          outcomes.filter(({ status }) => ![0, 200, 409, 503].includes(status)),
          []
        )
        const histories = new Map<string, ReadonlyArray<HistoryMessage>>()
        for (const id of ids) {
          // A killed server's session is free again within the lease time.
          yield* Effect.sleep("300 millis")
          const next = yield* take(first, id, "are you there").pipe(
            Effect.repeat({ until: ({ status }) => status === 200, times: 50 })
          )
          assert.strictEqual(next.status, 200)
          const messages = yield* history(first, id)
          assert.isTrue(Result.isSuccess(Pairing.openCalls(messages)), JSON.stringify(messages))
          histories.set(id, messages)
          const fed = yield* history(first, id, "compacted")
          assert.isBelow(fed.length, messages.length)
          assert.deepStrictEqual(fed.slice(-10), messages.slice(-10))
          assert.isTrue(Result.isSuccess(Pairing.openCalls(fed)), JSON.stringify(fed))
        }
        assert.deepStrictEqual(flaws, [])
        for (const { content, id } of accepted)
          assert.strictEqual(timesSaid(histories.get(id) ?? [], content), 1, content)
        for (const { content, id } of refused)
          assert.strictEqual(timesSaid(histories.get(id) ?? [], content), 0, content)
        for (const { content, id } of outcomes) assert.isAtMost(timesSaid(histories.get(id) ?? [], content), 1, content)
      }).pipe(Effect.provide(postgres)),
    120_000
  )

  it.live("give one answer to a request that is sent to all of them under one key", () =>
    Effect.gen(function* () {
      const url = yield* (yield* Postgres).database
      const port = yield* serve(model())
      const replicas = yield* Effect.forEach([1, 2, 3], () => startReplica(url, port))
      const send = (server: ServerProcess, path: string, body: object) =>
        Effect.promise(async () => {
          const response = await fetch(`${server.baseUrl}${path}`, {
            method: "POST",
            headers: { "content-type": "application/json", "idempotency-key": "one" },
            body: JSON.stringify(body)
          })
          return { status: response.status, text: await response.text() }
        })
      const toAll = (path: string, body: object) =>
        Effect.forEach([...replicas, ...replicas, ...replicas], (server) => send(server, path, body), {
          concurrency: "unbounded"
        })
      const created = yield* toAll("/sessions", {
        agent: { name: "assistant", tools: [{ name: "current_time", trust: true }] }
      })
      assert.deepStrictEqual([...new Set(created.map(({ status }) => status))], [201])
      assert.strictEqual(new Set(created.map(({ text }) => text)).size, 1)
      const { sessionId } = JSON.parse(created[0]?.text ?? "") as { readonly sessionId: string }
      const content = "what time is it"
      const told = yield* toAll(`/sessions/${sessionId}/turns`, { messages: [{ role: "user", content }] })
      assert.deepStrictEqual([...new Set(told.map(({ status }) => status))], [200])
      assert.strictEqual(new Set(told.map(({ text }) => text)).size, 1)
      assert.include(told[0]?.text, '"stopReason":"end_turn"')
      const [first] = replicas
      if (first !== undefined) assert.strictEqual(timesSaid(yield* history(first, sessionId), content), 1)
    }).pipe(Effect.provide(postgres))
  )

  it.live("say that the database is away, go on with their turns when it is back, and need nobody's help", () =>
    Effect.gen(function* () {
      const { database, start, stop } = yield* Postgres
      const server = yield* startServer({ DATABASE_URL: yield* database, AAP_SECRET_KEY: secretKey })
      const id = yield* create(server)
      const turn = yield* streamTurn(server, id, "what time is it?")
      yield* turn.until("text_delta")
      yield* stop("SIGKILL")
      const { json, status } = yield* askProcess(server, "/sessions", { agent: { name: "assistant" } })
      assert.strictEqual(status, 503)
      assert.strictEqual((json as { error: { code: string } }).error.code, "store_unavailable")
      yield* start
      const heard = yield* turn.rest
      assert.include(heard, '"stopReason":"end_turn"')
      const messages = yield* history(server, id)
      assert.deepStrictEqual(
        messages.map(({ role }) => role),
        ["user", "assistant", "tool", "assistant"]
      )
      assert.strictEqual((yield* take(server, id, "and now?")).stopReason, "end_turn")
    }).pipe(Effect.provide(postgres))
  )
})
