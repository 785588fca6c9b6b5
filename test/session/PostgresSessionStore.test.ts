import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import * as Slot from "../../src/history/Slot.ts"
import { SessionId } from "../../src/protocol/Session.ts"
import * as SqlSessionStore from "../../src/session/SqlSessionStore.ts"
import { SessionStore } from "../../src/session/SessionStore.ts"
import { clientOf, clockedPostgres } from "../support/ClockedPostgres.ts"
import { Postgres, sharedBy } from "../support/Postgres.ts"
import { testSecrets } from "../support/TestSecrets.ts"
import { ada, bob, bring, contract, says, session } from "./contract.ts"
import { limitsContract } from "./limitsContract.ts"

const postgres = sharedBy({ afterAll, beforeAll })

const clocked = (options?: SqlSessionStore.SqlStoreOptions) =>
  SqlSessionStore.layer(options).pipe(
    Layer.provide(testSecrets),
    Layer.provideMerge(clockedPostgres),
    Layer.provide(postgres)
  )

/** Several stores over one database, each with connections of its own. */
const replicas = Effect.fnUntraced(function* (count: number, options: SqlSessionStore.SqlStoreOptions, at?: string) {
  const url = at ?? (yield* (yield* Postgres).database)
  const layer = SqlSessionStore.layer(options).pipe(Layer.provide(testSecrets))
  return yield* Effect.forEach(Array.from({ length: count }), () =>
    Effect.map(Layer.build(Layer.fresh(layer.pipe(Layer.provide(Layer.fresh(clientOf(url)))))), (context) =>
      SessionStore.pipe(Effect.provideContext(context), Effect.runSync)
    )
  )
})

const name = (index: number) => SessionId.make(`sess_${index}`)

describe("SqlSessionStore on PostgreSQL", () => {
  contract(clocked, 20)
  limitsContract(clocked)

  it.live("keeps to the limit of sessions whatever several servers do at once", () =>
    Effect.gen(function* () {
      const stores = yield* replicas(3, { limits: { sessions: 7 } })
      const made = yield* Effect.forEach(
        Array.from({ length: 60 }, (_, index) => index),
        (index) => {
          const store = stores[index % 3]
          const owner = index % 2 === 0 ? ada : bob
          return store === undefined
            ? Effect.die("no store")
            : Effect.result(store.create(owner, session(name(index)), []))
        },
        { concurrency: "unbounded" }
      )
      assert.strictEqual(made.filter(Result.isSuccess).length, 14)
      const tags = made.filter(Result.isFailure).map(({ failure }) => failure._tag)
      assert.deepStrictEqual([...new Set(tags)], ["TooManySessions"])
      for (const owner of [ada, bob])
        assert.strictEqual((yield* stores[0]?.list(owner, { limit: 50 }) ?? Effect.die("no store")).sessions.length, 7)
    }).pipe(Effect.provide(postgres))
  )

  it.live("keeps to the limit of turns whatever several servers do at once, and nobody waits for ever", () =>
    Effect.gen(function* () {
      const stores = yield* replicas(3, { limits: { turns: 3 } })
      const [first] = stores
      if (first === undefined) return yield* Effect.die("no store")
      for (let index = 0; index < 12; index++) yield* first.create(ada, session(name(index)), [])
      let running = 0
      let most = 0
      let taken = 0
      const racer = (index: number) =>
        Effect.gen(function* () {
          const store = stores[index % 3] ?? first
          for (let round = 0; round < 6; round++) {
            const turn = yield* Effect.result(
              store.accept(ada, name((index * 5 + round) % 12), bring(Slot.entry(says("hi"))))
            )
            if (Result.isFailure(turn)) {
              assert.include(["TooManyTurns", "TurnInProgress"], turn.failure._tag)
              continue
            }
            taken++
            most = Math.max(most, ++running)
            yield* store.renew([turn.success.lease])
            running--
            yield* store.commit(turn.success.lease, { release: true })
          }
        })
      yield* Effect.forEach(
        Array.from({ length: 24 }, (_, index) => index),
        racer,
        { concurrency: "unbounded" }
      )
      assert.isAtMost(most, 3)
      assert.isAbove(taken, 10)
      const all = yield* Effect.forEach(
        Array.from({ length: 12 }, (_, index) => index),
        (index) => Effect.result((stores[index % 3] ?? first).accept(ada, name(index), bring())),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(all.filter(Result.isSuccess).length, 3)
    }).pipe(Effect.provide(postgres))
  )

  it.live("expires no session that another server is just taking, and does not wait for it", () =>
    Effect.gen(function* () {
      const url = yield* (yield* Postgres).database
      const [store] = yield* replicas(1, {}, url)
      if (store === undefined) return yield* Effect.die("no store")
      for (const index of [1, 2]) yield* store.create(ada, session(name(index)), [])
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`UPDATE sessions SET fence = fence + 1 WHERE id = ${name(1)}`
            assert.strictEqual(yield* store.expire("0 millis"), 1)
          })
        )
      }).pipe(Effect.provide(clientOf(url)))
      assert.deepStrictEqual(
        (yield* store.list(ada, { limit: 10 })).sessions.map(({ id }) => id),
        [name(1)]
      )
    }).pipe(Effect.provide(postgres))
  )

  it.live("renews leases without waiting for a session that is being written, which is not lost", () =>
    Effect.gen(function* () {
      const url = yield* (yield* Postgres).database
      const [store] = yield* replicas(1, {}, url)
      if (store === undefined) return yield* Effect.die("no store")
      const leases = yield* Effect.forEach([1, 2], (index) =>
        Effect.andThen(
          store.create(ada, session(name(index)), []),
          Effect.map(store.accept(ada, name(index), bring()), ({ lease }) => lease)
        )
      )
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const expiries = Effect.map(
          sql<{ readonly at: string }>`SELECT lease_expires_at AS at FROM sessions ORDER BY id`,
          (rows) => rows.map(({ at }) => Number(at))
        )
        yield* sql`UPDATE sessions SET lease_expires_at = lease_expires_at - 5000`
        const before = yield* expiries
        yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`UPDATE sessions SET touched_at = touched_at + 1 WHERE id = ${name(1)}`
            assert.deepStrictEqual(yield* store.renew(leases), [])
          })
        )
        const after = yield* expiries
        assert.deepStrictEqual(
          after.map((at, index) => at > (before[index] ?? 0)),
          [false, true]
        )
      }).pipe(Effect.provide(clientOf(url)))
    }).pipe(Effect.provide(postgres))
  )
})
