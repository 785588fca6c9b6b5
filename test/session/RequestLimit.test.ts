import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Context, Duration, Effect, Layer, Result, Schema } from "effect"
import { RateLimiter } from "effect/persistence"
import { SqlClient } from "effect/sql"
import * as RequestLimit from "../../src/session/RequestLimit.ts"
import * as SqliteClient from "../../src/session/SqliteClient.ts"
import * as SqlRateLimiterStore from "../../src/session/SqlRateLimiterStore.ts"
import { clientOf, clocked, clockedPostgres } from "../support/ClockedPostgres.ts"
import { Postgres, sharedBy } from "../support/Postgres.ts"
import { ada, bob, failure, Passing, pass } from "./contract.ts"

const postgres = sharedBy({ afterAll, beforeAll })
const sqlite = Layer.orDie(SqliteClient.layer({ filename: ":memory:" }))

const onSqlite = Layer.merge(Layer.provideMerge(SqlRateLimiterStore.layer, sqlite), Passing.testClock)
const onPostgres = Layer.provideMerge(SqlRateLimiterStore.layer, Layer.provide(clockedPostgres, postgres))
const inMemory = Layer.merge(RateLimiter.layerStoreMemory, Passing.testClock)

const limitContract = <E>(store: Layer.Layer<RateLimiter.RateLimiterStore | Passing, E>) =>
  it.effect("lets so many requests of each principal in, and the next when it said", () =>
    Effect.gen(function* () {
      const { take } = yield* RequestLimit.RequestLimit
      for (let count = 0; count < 4; count++) yield* take(ada)
      const refused = yield* Effect.flip(take(ada))
      assert.strictEqual(refused._tag, "TooManyRequests")
      assert.include(refused, { limit: 4, retryAfter: 15 })
      assert.include(refused.message, "4 requests a minute")
      assert.include(refused.message, "15 s")
      yield* take(bob)
      yield* pass("14001 millis")
      assert.include(yield* Effect.flip(take(ada)), { retryAfter: 1 })
      yield* pass("999 millis")
      yield* take(ada)
      assert.include(yield* Effect.flip(take(ada)), { retryAfter: 15 })
      yield* pass("1 hour")
      for (let count = 0; count < 4; count++) yield* take(ada)
      assert.strictEqual(yield* failure(take(ada)), "TooManyRequests")
    }).pipe(Effect.provide(Layer.provideMerge(RequestLimit.perMinute(4), store)))
  )

const rows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql<{ readonly id: string }>`SELECT id FROM rate_limits ORDER BY id`).map(({ id }) => id)
})

/** Rows that have expired go, and no others. */
const sweepContract = <E>(store: Layer.Layer<RateLimiter.RateLimiterStore | SqlClient.SqlClient | Passing, E>) =>
  it.effect("keeps no row longer than it says anything", () =>
    Effect.gen(function* () {
      const { take } = yield* RequestLimit.RequestLimit
      yield* take(ada)
      yield* take(bob)
      yield* take(bob)
      yield* pass("14999 millis")
      assert.strictEqual(yield* SqlRateLimiterStore.sweep, 0)
      yield* pass("1 millis")
      assert.strictEqual(yield* SqlRateLimiterStore.sweep, 1)
      assert.deepStrictEqual(yield* rows, ["bucket requests bob"])
      yield* pass("15 seconds")
      assert.strictEqual(yield* SqlRateLimiterStore.sweep, 1)
      assert.deepStrictEqual(yield* rows, [])
    }).pipe(Effect.provide(Layer.provideMerge(RequestLimit.perMinute(4), store)))
  )

const Asking = Schema.Struct({
  tokens: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 })),
  wait: Schema.Literals([0, 0, 1, 499, 500, 1500, 9000]),
  key: Schema.Literals(["a", "b"]),
  overflow: Schema.Boolean
})

/** What the limiter's own store in memory answers, and whether that of SQL answers the same. */
const sameAnswers = Effect.fnUntraced(function* (
  askings: ReadonlyArray<typeof Asking.Type>,
  options: { readonly isBucket: boolean }
) {
  const stores = yield* Effect.all([
    Effect.provide(RateLimiter.RateLimiterStore, Layer.fresh(RateLimiter.layerStoreMemory)),
    RateLimiter.RateLimiterStore
  ])
  for (const { key, overflow, tokens, wait } of askings) {
    yield* pass(Duration.millis(wait))
    const refillRate = Duration.millis(500)
    const [expected, given] = yield* Effect.forEach(stores, (store) =>
      options.isBucket
        ? store.tokenBucket({ key, tokens, refillRate, limit: 6, allowOverflow: overflow })
        : store.fixedWindow({ key, tokens, refillRate, limit: overflow ? undefined : 6 })
    )
    assert.deepStrictEqual(given, expected)
  }
})

describe("the limit of requests", () => {
  describe("in memory", () => limitContract(inMemory))
  describe("on SQLite", () => {
    limitContract(onSqlite)
    sweepContract(onSqlite)

    it.effect.prop(
      "counts as the limiter's own store does",
      [Schema.Array(Asking), Schema.Boolean],
      ([askings, isBucket]) => sameAnswers(askings, { isBucket }).pipe(Effect.provide(Layer.fresh(onSqlite)))
    )

    it.effect("sweeps by itself", () =>
      Effect.gen(function* () {
        const { take } = yield* RequestLimit.RequestLimit
        yield* take(ada)
        yield* pass("9 minutes")
        assert.deepStrictEqual(yield* rows, ["bucket requests ada"])
        yield* pass("1 minute")
        assert.deepStrictEqual(yield* rows, [])
      }).pipe(Effect.provide(Layer.provideMerge(RequestLimit.perMinute(4), onSqlite)))
    )

    it.effect("says that its database failed", () =>
      Effect.gen(function* () {
        const { take } = yield* RequestLimit.RequestLimit
        const sql = yield* SqlClient.SqlClient
        yield* sql`DROP TABLE rate_limits`
        assert.strictEqual(yield* failure(take(ada)), "StoreError")
      }).pipe(Effect.provide(Layer.provideMerge(RequestLimit.perMinute(4), onSqlite)))
    )
  })
  describe("on PostgreSQL", () => {
    limitContract(onPostgres)
    sweepContract(onPostgres)

    it.effect("holds over several servers that ask at once, whatever their own clocks say", () =>
      Effect.gen(function* () {
        const url = yield* (yield* Postgres).database
        const limit = RequestLimit.perMinute(20).pipe(Layer.provide(SqlRateLimiterStore.layer))
        const server = Effect.map(Layer.build(Layer.fresh(Layer.provide(limit, clientOf(url)))), (context) =>
          Context.get(context, RequestLimit.RequestLimit)
        )
        yield* Effect.gen(function* () {
          const servers = yield* Effect.forEach([1, 2, 3], () => server)
          const asked = Effect.forEach(
            servers,
            ({ take }) =>
              Effect.forEach([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], () => Effect.result(take(ada)), { concurrency: 5 }),
            { concurrency: "unbounded" }
          )
          assert.strictEqual((yield* asked).flat().filter(Result.isSuccess).length, 20)
          yield* pass("6 seconds")
          assert.strictEqual((yield* asked).flat().filter(Result.isSuccess).length, 2)
        }).pipe(Effect.provide(clocked(url)))
      }).pipe(Effect.provide(postgres))
    )
  })
})
