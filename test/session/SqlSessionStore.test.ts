import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import * as CompactedHistory from "../../src/history/CompactedHistory.ts"
import * as Slot from "../../src/history/Slot.ts"
import * as SqliteClient from "../../src/session/SqliteClient.ts"
import * as SqlSessionStore from "../../src/session/SqlSessionStore.ts"
import { SessionStore } from "../../src/session/SessionStore.ts"
import { temporaryFile } from "../support/TemporaryFile.ts"
import { testSecrets } from "../support/TestSecrets.ts"
import { ada, bring, call, contract, id, Passing, result, says, session } from "./contract.ts"
import { limitsContract } from "./limitsContract.ts"

/** The store with a key for tests. */
const store = (options?: SqlSessionStore.SqlStoreOptions) => Layer.provide(SqlSessionStore.layer(options), testSecrets)

const memory = (options?: SqlSessionStore.SqlStoreOptions) =>
  Layer.merge(
    store(options).pipe(Layer.provide(Layer.orDie(SqliteClient.layer({ filename: ":memory:" })))),
    Passing.testClock
  )

const onFile = (filename: string, options?: SqlSessionStore.SqlStoreOptions) =>
  store(options).pipe(Layer.provide(Layer.orDie(SqliteClient.layer({ filename }))))

const onNewFile = (options?: SqlSessionStore.SqlStoreOptions) =>
  Layer.merge(Layer.unwrap(Effect.map(temporaryFile, (filename) => onFile(filename, options))), Passing.testClock)

describe("SqlSessionStore on SQLite", () => {
  describe("in memory", () => {
    contract(memory)
    limitsContract(memory)
  })
  describe("on a file", () => {
    contract(onNewFile)
    limitsContract(onNewFile)
  })

  it.effect("has everything after a restart, and an orphaned session free at once", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const old = yield* Effect.gen(function* () {
        const store = yield* SessionStore
        yield* store.create(ada, session(id), [says("one")])
        return yield* store.accept(ada, id, bring(Slot.running(call("a")), Slot.entry(says("two"))))
      }).pipe(Effect.provide(onFile(filename)))
      yield* Effect.gen(function* () {
        const store = yield* SessionStore
        const next = yield* store.accept(ada, id, bring(Slot.entry(says("three"))))
        const lost = yield* Effect.flip(store.commit(old.lease, { settle: [result("a")] }))
        assert.strictEqual(lost._tag, "LeaseLost")
        const texts = CompactedHistory.entries(next.history).map((entry) => entry.message.role)
        assert.deepStrictEqual(texts, ["user", "tool", "user", "user"])
      }).pipe(Effect.provide(onFile(filename, { takeOver: true })))
    })
  )

  it.effect("keeps a held session held for a second connection", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      yield* Effect.gen(function* () {
        const store = yield* SessionStore
        yield* store.create(ada, session(id), [])
        const turn = yield* store.accept(ada, id, bring())
        yield* Effect.gen(function* () {
          const other = yield* SessionStore
          assert.strictEqual((yield* Effect.flip(other.accept(ada, id, bring())))._tag, "TurnInProgress")
        }).pipe(Effect.provide(Layer.fresh(onFile(filename))))
        yield* store.commit(turn.lease, { release: true })
      }).pipe(Effect.provide(onFile(filename)))
    })
  )

  it.effect("leaves no half-written step, whichever statement fails", () =>
    Effect.gen(function* () {
      let failAt = Number.POSITIVE_INFINITY
      let count = 0
      const broken = new SqlError.SqlError({
        reason: new SqlError.UnknownError({ cause: new Error("disk I/O error"), message: "disk I/O error" })
      })
      /** The client, of which the statement number `failAt` fails. */
      const failing = Layer.effect(
        SqlClient.SqlClient,
        Effect.map(
          SqlClient.SqlClient,
          (sql) =>
            new Proxy(sql, {
              apply: (target, self, args) => {
                const statement: unknown = Reflect.apply(target, self, args)
                const isRun = typeof args[0] === "object" && "raw" in args[0]
                return isRun && ++count === failAt ? Effect.fail(broken) : statement
              }
            })
        )
      ).pipe(Layer.provide(Layer.orDie(SqliteClient.layer({ filename: ":memory:" }))))
      yield* Effect.gen(function* () {
        const store = yield* SessionStore
        yield* store.create(ada, session(id), [says("one")])
        const turn = yield* store.accept(ada, id, bring(Slot.running(call("a"))))
        const step = store.commit(turn.lease, {
          append: [Slot.entry(says("two"))],
          settle: [result("a")],
          release: true
        })
        const before = [yield* store.get(ada, id), yield* store.history(ada, id)]
        for (const nth of [1, 2, 3]) {
          count = 0
          failAt = nth
          assert.strictEqual((yield* Effect.flip(step))._tag, "StoreError")
          failAt = Number.POSITIVE_INFINITY
          assert.deepStrictEqual([yield* store.get(ada, id), yield* store.history(ada, id)], before)
        }
        count = 0
        yield* step
        assert.strictEqual(count, 3)
        assert.deepStrictEqual(yield* store.history(ada, id), [says("one"), result("a"), says("two")])
      }).pipe(Effect.provide(store().pipe(Layer.provide(failing))))
    })
  )

  it.effect.each([
    {
      name: "full",
      breaks: (pages: number) => `PRAGMA max_page_count = ${pages}`,
      mends: "PRAGMA max_page_count = 100000"
    },
    { name: "read-only", breaks: () => "PRAGMA query_only = 1", mends: "PRAGMA query_only = 0" }
  ])("says that a $name database failed, writes nothing of the step, and is back with it", ({ breaks, mends }) =>
    Effect.gen(function* () {
      const store = yield* SessionStore
      const sql = yield* SqlClient.SqlClient
      yield* store.create(ada, session(id), [says("one")])
      const turn = yield* store.accept(ada, id, bring(Slot.running(call("a"))))
      const [pages] = yield* sql<{ readonly page_count: number }>`PRAGMA page_count`
      yield* sql.unsafe(breaks(pages?.page_count ?? 0))
      const step = { append: [Slot.entry(says("x".repeat(100_000)))], settle: [result("a")] }
      assert.strictEqual((yield* Effect.flip(store.commit(turn.lease, step)))._tag, "StoreError")
      assert.deepStrictEqual(yield* store.history(ada, id), [says("one")])
      yield* sql.unsafe(mends)
      yield* store.commit(turn.lease, step)
      assert.strictEqual((yield* store.history(ada, id)).length, 3)
    }).pipe(Effect.provide(Layer.provideMerge(store(), Layer.orDie(SqliteClient.layer({ filename: ":memory:" })))))
  )

  it.effect("reads by index alone", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const plan = (statement: string) =>
        Effect.map(sql.unsafe<{ readonly detail: string }>(`EXPLAIN QUERY PLAN ${statement}`), (rows) =>
          rows.map((row) => row.detail).join("; ")
        )
      for (const statement of [
        "SELECT * FROM sessions WHERE id = 'x'",
        "SELECT position, entry FROM history WHERE session_id = 'x' ORDER BY position",
        "DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE touched_at < 9 AND lease_expires_at <= 9 ORDER BY touched_at LIMIT 5) RETURNING id",
        "SELECT * FROM sessions WHERE principal = 'x' AND sequence < 9 ORDER BY sequence DESC LIMIT 5",
        "SELECT 1 FROM sessions WHERE principal = 'x' LIMIT 5",
        "SELECT 1 FROM sessions WHERE principal = 'x' AND lease_expires_at > 0 AND lease_expires_at > 9 LIMIT 5",
        "SELECT id FROM api_keys WHERE hash = 'x' AND revoked_at IS NULL",
        "DELETE FROM rate_limits WHERE id IN (SELECT id FROM rate_limits WHERE expires_at <= 9) RETURNING id",
        "DELETE FROM sessions WHERE id = 'x'"
      ]) {
        const detail = yield* plan(statement)
        assert.notMatch(detail, /SCAN|TEMP B-TREE/, statement)
      }
    }).pipe(Effect.provide(Layer.provideMerge(store(), Layer.orDie(SqliteClient.layer({ filename: ":memory:" })))))
  )

  it.effect("says what it cannot open, and what it cannot read", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const unopened = yield* Effect.flip(
        Effect.provide(Effect.void, SqliteClient.layer({ filename: "/dev/null/aap.db" }))
      )
      assert.include(unopened.message, "/dev/null")
      const corrupt = yield* Effect.gen(function* () {
        const store = yield* SessionStore
        const sql = yield* SqlClient.SqlClient
        yield* store.create(ada, session(id), [says("one"), says("two")])
        const inEntries = yield* Effect.forEach(["{", '{"role": "sudo"}', "", '"my secret" and more'], (entry) =>
          Effect.andThen(
            sql`UPDATE history SET entry = ${entry} WHERE position = 1`,
            Effect.flip(store.history(ada, id))
          )
        )
        yield* sql`UPDATE sessions SET agent = '{"name": {"my": "secret"}}'`
        return [...inEntries, yield* Effect.flip(store.get(ada, id))]
      }).pipe(Effect.provide(Layer.provideMerge(store(), Layer.orDie(SqliteClient.layer({ filename })))))
      assert.deepStrictEqual(
        corrupt.map(({ message }) => message.replace("the database failed in ", "")),
        [
          ...Array.from({ length: 4 }, () => "rows: the history's entry at position 1 is not as it was written"),
          "find: the column `agent` of a session is not as it was written"
        ]
      )
      assert.notInclude(inspect(corrupt, { depth: 20 }), "secret")
    })
  )
})
