import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Redacted } from "effect"
import { RateLimiter } from "effect/persistence"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as Scripted from "../../src/model/Scripted.ts"
import type { ErrorBody } from "../../src/protocol/ErrorBody.ts"
import { KeyStore } from "../../src/session/KeyStore.ts"
import type { Limits } from "../../src/session/Limits.ts"
import * as MemorySessionStore from "../../src/session/MemorySessionStore.ts"
import * as RequestLimit from "../../src/session/RequestLimit.ts"
import { Principal } from "../../src/session/Session.ts"
import * as SqliteClient from "../../src/session/SqliteClient.ts"
import * as SqlKeyStore from "../../src/session/SqlKeyStore.ts"
import { type Answer, type Ask, ask, says, takeTurn, testServer } from "../support/TestServer.ts"

const apiKeys = [
  { name: "ada", key: Redacted.make("key-a") },
  { name: "bob", key: Redacted.make("key-b") }
]

const bearer = (key: string): Ask => ({ headers: { authorization: `Bearer ${key}` } })
const keyed = (key: string, idempotencyKey: string): Ask => ({
  headers: { ...bearer(key).headers, "idempotency-key": idempotencyKey }
})
const newSession = { agent: { name: "agent" } }
const create = (how: Ask = {}) =>
  Effect.map(ask("/sessions", { ...how, body: newSession }), ({ json, status, text }) => {
    assert.strictEqual(status, 201, text)
    return (json as { readonly sessionId: string }).sessionId
  })

const check = (answer: Answer, status: number, code: string) => {
  assert.strictEqual(answer.status, status, answer.text)
  assert.strictEqual((answer.json as ErrorBody).error.code, code)
  assert.include(answer.headers.get("content-type") ?? "", "application/json")
}

/** Every endpoint on a session, each with what it needs. */
const onSession = (id: string): ReadonlyArray<readonly [path: string, how: Ask]> => [
  [`/sessions/${id}`, {}],
  [`/sessions/${id}/history?type=full`, {}],
  [`/sessions/${id}/history?type=compacted`, {}],
  [`/sessions/${id}/turns`, { body: says("x") }],
  [`/sessions/${id}/turns`, { body: says("x", { stream: "delta" }) }],
  [`/sessions/${id}/turns`, { body: says("x", { stream: "message" }) }],
  [`/sessions/${id}`, { method: "DELETE" }]
]

const everywhere = (id: string): ReadonlyArray<readonly [path: string, how: Ask]> => [
  ["/meta", {}],
  ["/sessions", {}],
  ["/sessions", { body: newSession }],
  ...onSession(id)
]

const database = Layer.provideMerge(SqlKeyStore.layer, SqliteClient.layer({ filename: ":memory:" })).pipe(Layer.orDie)

const limited = (limits: Limits, model = Scripted.layer(() => Scripted.text("well"))) =>
  testServer({ model, store: MemorySessionStore.layer({ limits }) })

describe("another principal's session", () => {
  it.live("does not exist, whatever is asked of it", () =>
    Effect.gen(function* () {
      const id = yield* create(keyed("key-a", "one"))
      yield* ask(`/sessions/${id}/turns`, { ...keyed("key-a", "two"), body: says("my secret") })
      const seen = Effect.all([
        ask(`/sessions/${id}`, bearer("key-a")),
        ask(`/sessions/${id}/history?type=full`, bearer("key-a"))
      ]).pipe(Effect.map((answers) => answers.map(({ text }) => text)))
      const before = yield* seen
      for (const [path, how] of onSession(id)) {
        const given = yield* ask(path, { ...how, ...bearer("key-b") })
        const missing = yield* ask(path.replace(id, "sess_nobody"), { ...how, ...bearer("key-b") })
        check(given, 404, "session_not_found")
        assert.strictEqual(given.text.replaceAll(id, "sess_nobody"), missing.text)
      }
      check(
        yield* ask(`/sessions/${id}/turns`, { ...keyed("key-b", "two"), body: says("my secret") }),
        404,
        "session_not_found"
      )
      assert.deepStrictEqual((yield* ask("/sessions", bearer("key-b"))).json, { sessions: [] })
      assert.notStrictEqual(yield* create(keyed("key-b", "one")), id)
      assert.notInclude((yield* ask("/sessions", bearer("key-b"))).text, id)
      assert.deepStrictEqual(yield* seen, before)
    }).pipe(Effect.provide(testServer({ server: { apiKeys } })))
  )

  it.live("does not show through a cursor either", () =>
    Effect.gen(function* () {
      for (let count = 0; count < 51; count++) yield* create(bearer("key-a"))
      const mine = yield* create(bearer("key-b"))
      yield* create(bearer("key-a"))
      const { next } = (yield* ask("/sessions", bearer("key-a"))).json as { readonly next: string }
      const from = `/sessions?after=${encodeURIComponent(next)}`
      assert.strictEqual((yield* ask(from, bearer("key-a"))).status, 200)
      check(yield* ask(from, bearer("key-b")), 404, "cursor_not_found")
      assert.include((yield* ask("/sessions", bearer("key-b"))).text, mine)
    }).pipe(Effect.provide(testServer({ server: { apiKeys } })))
  )
})

describe("keys of a database", () => {
  it.live("close a keyless server at once, and do not open it by their revocation", () =>
    Effect.gen(function* () {
      const keys = yield* KeyStore
      const id = yield* create()
      assert.strictEqual((yield* ask(`/sessions/${id}`)).status, 200)
      const { kept, key } = yield* keys.add(Principal.make("ada"))
      for (const [path, how] of everywhere(id)) {
        check(yield* ask(path, how), 401, "unauthorized")
        check(yield* ask(path, { ...how, ...bearer("aap_wrong") }), 401, "unauthorized")
      }
      assert.strictEqual((yield* ask("/meta", bearer(Redacted.value(key)))).status, 200)
      check(yield* ask(`/sessions/${id}`, bearer(Redacted.value(key))), 404, "session_not_found")
      yield* keys.revoke(kept.id)
      check(yield* ask("/meta", bearer(Redacted.value(key))), 401, "unauthorized")
      check(yield* ask("/meta"), 401, "unauthorized")
      const local = yield* keys.add(Principal.make("local"))
      assert.strictEqual((yield* ask(`/sessions/${id}`, bearer(Redacted.value(local.key)))).status, 200)
    }).pipe(Effect.provide(testServer({ tenancy: database })))
  )

  it.live("stand beside those of the environment", () =>
    Effect.gen(function* () {
      check(yield* ask("/meta"), 401, "unauthorized")
      const id = yield* create(bearer("key-a"))
      const { key } = yield* (yield* KeyStore).add(Principal.make("ada"))
      assert.strictEqual((yield* ask(`/sessions/${id}`, bearer(Redacted.value(key)))).status, 200)
      check(yield* ask(`/sessions/${id}`, bearer("key-b")), 404, "session_not_found")
    }).pipe(Effect.provide(testServer({ tenancy: database, server: { apiKeys } })))
  )

  it.live("let nobody in while their database is away, and say so", () =>
    Effect.gen(function* () {
      const id = yield* create()
      const sql = yield* SqlClient.SqlClient
      yield* sql`ALTER TABLE api_keys RENAME TO away`
      for (const [path, how] of everywhere(id)) {
        for (const headers of [{}, bearer("aap_any").headers ?? {}]) {
          const answer = yield* ask(path, { ...how, headers })
          check(answer, 503, "store_unavailable")
          assert.isNotNull(answer.headers.get("retry-after"))
        }
      }
      yield* sql`ALTER TABLE away RENAME TO api_keys`
      assert.strictEqual((yield* ask(`/sessions/${id}`)).status, 200)
    }).pipe(Effect.provide(Layer.provideMerge(testServer({ tenancy: database }), database)))
  )
})

const unused = {
  fixedWindow: () => Effect.die("unused"),
  adaptiveConsume: () => Effect.die("unused"),
  adaptiveFeedback: () => Effect.die("unused")
}

describe("the limit of requests", () => {
  const tenancy = Layer.provide(RequestLimit.perMinute(12), RateLimiter.layerStoreMemory)

  it.effect("is a 429 at every endpoint, for each principal by itself, and changes nothing", () =>
    Effect.gen(function* () {
      const id = yield* create(bearer("key-a"))
      for (let count = 0; count < 11; count++) assert.strictEqual((yield* ask("/meta", bearer("key-a"))).status, 200)
      for (const [path, how] of everywhere(id)) {
        const answer = yield* ask(path, { ...how, ...bearer("key-a") })
        check(answer, 429, "too_many_requests")
        assert.strictEqual(answer.headers.get("retry-after"), "5")
        assert.include(answer.headers.get("access-control-expose-headers") ?? "", "retry-after")
      }
      check(yield* ask("/sessions"), 401, "unauthorized")
      assert.deepStrictEqual((yield* ask("/sessions", bearer("key-b"))).json, { sessions: [] })
      yield* TestClock.adjust("5 seconds")
      const { json } = yield* ask(`/sessions/${id}/history?type=full`, bearer("key-a"))
      assert.deepStrictEqual(json, { history: { full: [] } })
      check(yield* ask("/meta", bearer("key-a")), 429, "too_many_requests")
    }).pipe(Effect.provide(testServer({ tenancy, server: { apiKeys } })))
  )

  it.live("is a 503 where it cannot be counted", () =>
    Effect.gen(function* () {
      const answer = yield* ask("/meta", bearer("key-a"))
      check(answer, 503, "store_unavailable")
    }).pipe(
      Effect.provide(
        testServer({
          server: { apiKeys },
          tenancy: Layer.provide(
            RequestLimit.perMinute(12),
            Layer.succeed(RateLimiter.RateLimiterStore, {
              ...unused,
              tokenBucket: () =>
                Effect.fail(
                  new RateLimiter.RateLimiterError({
                    reason: new RateLimiter.RateLimitStoreError({ message: "away", cause: "away" })
                  })
                )
            })
          )
        })
      )
    )
  )
})

describe("the limit of sessions", () => {
  it.live("is a 429 that says what helps, and gives a session again by its key", () =>
    Effect.gen(function* () {
      const id = yield* create({ headers: { "idempotency-key": "one" } })
      const answer = yield* ask("/sessions", { body: newSession })
      check(answer, 429, "too_many_sessions")
      assert.strictEqual(answer.headers.get("retry-after"), "60")
      assert.include(answer.text, "delete one")
      assert.strictEqual(yield* create({ headers: { "idempotency-key": "one" } }), id)
      assert.strictEqual((yield* ask(`/sessions/${id}`, { method: "DELETE" })).status, 204)
      yield* create()
    }).pipe(Effect.provide(limited({ sessions: 1 })))
  )
})

describe("the limit of turns", () => {
  it.live("is a 429 before any stream starts, and changes nothing", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const gate = yield* Deferred.make<void>()
      const model = Scripted.layer(() =>
        Scripted.reply(
          Scripted.wait(Effect.andThen(Deferred.succeed(asked, undefined), Deferred.await(gate))),
          Scripted.text("done")
        )
      )
      yield* Effect.gen(function* () {
        const [first, second] = [yield* create(), yield* create()]
        const one = { body: says("one"), headers: { "idempotency-key": "one" } }
        const running = yield* Effect.forkChild(ask(`/sessions/${first}/turns`, one))
        yield* Deferred.await(asked)
        for (const stream of ["none", "delta", "message"]) {
          const answer = yield* takeTurn(second, says("two", { stream }))
          check(answer, 429, "too_many_turns")
          assert.strictEqual(answer.headers.get("retry-after"), "1")
        }
        check(yield* takeTurn(first, says("two")), 409, "turn_in_progress")
        check(yield* takeTurn(second, says(" ")), 422, "empty_turn")
        const { json } = yield* ask(`/sessions/${second}/history?type=full`)
        assert.deepStrictEqual(json, { history: { full: [] } })
        const joined = yield* Effect.forkChild(ask(`/sessions/${first}/turns`, one))
        yield* Deferred.succeed(gate, undefined)
        const told = yield* Fiber.join(running)
        assert.include(told.text, "done")
        assert.deepStrictEqual((yield* Fiber.join(joined)).json, told.json)
        assert.strictEqual((yield* takeTurn(second, says("two"))).status, 200)
      }).pipe(Effect.provide(limited({ turns: 1 }, model)))
    })
  )
})
