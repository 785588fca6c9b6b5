import { statSync } from "node:fs"
import { PgClient } from "@effect/sql-pg"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Result } from "effect"
import { SqlClient } from "effect/sql"
import * as Slot from "../../src/history/Slot.ts"
import { SessionId } from "../../src/protocol/Session.ts"
import type { Session } from "../../src/session/Session.ts"
import { SessionStore } from "../../src/session/SessionStore.ts"
import * as SqliteClient from "../../src/session/SqliteClient.ts"
import * as SqlSessionStore from "../../src/session/SqlSessionStore.ts"
import { Postgres, sharedBy } from "../support/Postgres.ts"
import { temporaryFile } from "../support/TemporaryFile.ts"
import { testSecrets } from "../support/TestSecrets.ts"
import { ada, call, result, says, session } from "./contract.ts"

const storeOver = <E>(client: Layer.Layer<SqlClient.SqlClient, E>) =>
  SqlSessionStore.layer().pipe(Layer.provide(testSecrets), Layer.provideMerge(client), Layer.orDie)

/** A keyed turn with a tool, from its acceptance to its release. */
const takeTurn = Effect.fnUntraced(function* (id: SessionId, key: string, size: number) {
  const store = yield* SessionStore
  const keyed = { key, fingerprint: key }
  const append = [Slot.entry(says("x".repeat(size)))]
  const { lease } = yield* store.accept(
    ada,
    id,
    (session: Session) => Result.succeed({ session, append, keyed }),
    keyed
  )
  yield* store.commit(lease, { append: [Slot.running(call(key))] })
  yield* store.commit(lease, { settle: [result(key, "y".repeat(size))] })
  yield* store.commit(lease, { append: [Slot.entry(says("z".repeat(size)))], release: true, stopReason: "end_turn" })
})

/** Sessions come, take turns, and go: every other by deletion, in the middle of a turn some of them, the rest by age. */
const round = Effect.fnUntraced(function* (number: number, sessions: number) {
  const store = yield* SessionStore
  const sql = yield* SqlClient.SqlClient
  for (let index = 0; index < sessions; index++) {
    const id = SessionId.make(`sess_${number}_${index}`)
    yield* store.create(ada, session(id), [says("seed")], { key: id, fingerprint: id })
    yield* takeTurn(id, "one", 6000)
    yield* takeTurn(id, "two", 600)
    if (index % 4 === 0) yield* store.accept(ada, id, (session) => Result.succeed({ session, append: [] }))
    if (index % 2 === 0) yield* store.remove(ada, id)
  }
  yield* sql`UPDATE sessions SET touched_at = 0`
  assert.strictEqual(yield* store.expire("1 day"), sessions / 2)
})

/** How many rows each of the store's tables has. */
const rowsOf = Effect.fnUntraced(function* (tables: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  return yield* Effect.forEach(tables, (table) =>
    Effect.map(sql.unsafe<{ readonly count: number | bigint }>(`SELECT count(*) AS count FROM ${table}`), ([row]) => ({
      table,
      count: Number(row?.count)
    }))
  )
})

const assertEmpty = Effect.fnUntraced(function* (tables: ReadonlyArray<{ readonly name: string }>) {
  const ours = tables
    .map(({ name }) => name)
    .filter((name) => !["migrations", "secret_keys"].includes(name) && !name.startsWith("sqlite_"))
  assert.includeMembers(ours, ["sessions", "history"])
  for (const { count, table } of yield* rowsOf(ours)) assert.strictEqual(count, 0, table)
})

const postgres = sharedBy({ afterAll, beforeAll })

describe("sessions that come and go", () => {
  it.live("leave nothing in a SQLite file, which takes no more room than at the beginning", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const pages = Effect.map(
          sql<{ readonly page_count: number }>`PRAGMA page_count`,
          ([row]) => row?.page_count ?? 0
        )
        const sizes: Array<number> = []
        const logs: Array<number> = []
        for (let number = 0; number < 30; number++) {
          yield* round(number, 16)
          sizes.push(yield* pages)
          logs.push(statSync(`${filename}-wal`).size)
        }
        assert.isAtMost(Math.max(...sizes), Math.max(...sizes.slice(0, 3)))
        // Writes of far more than this went through the log, which is begun again at every thousand pages.
        assert.isAtMost(Math.max(...logs), 6_000_000)
        yield* assertEmpty(yield* sql<{ readonly name: string }>`SELECT name FROM sqlite_master WHERE type = 'table'`)
        const [busy] = yield* sql`PRAGMA wal_checkpoint(TRUNCATE)`
        assert.deepStrictEqual(busy, { busy: 0, log: 0, checkpointed: 0 })
        assert.strictEqual(statSync(`${filename}-wal`).size, 0)
        assert.isAtMost(statSync(filename).size, Math.max(...sizes) * 4096)
      }).pipe(Effect.provide(storeOver(SqliteClient.layer({ filename }))))
    })
  )

  it.live("leave nothing in any table of PostgreSQL", () =>
    Effect.gen(function* () {
      const url = yield* (yield* Postgres).database
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        for (let number = 0; number < 4; number++) yield* round(number, 16)
        yield* assertEmpty(
          yield* sql<{ readonly name: string }>`
            SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'
          `
        )
      }).pipe(Effect.provide(storeOver(PgClient.layer({ url: Redacted.make(url) }))))
    }).pipe(Effect.provide(postgres))
  )

  it.live("a session remembers twenty keys, however many turns it takes", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const id = SessionId.make("sess_long")
      yield* (yield* SessionStore).create(ada, session(id), [])
      const kept: Array<number> = []
      for (let turn = 0; turn < 60; turn++) {
        yield* takeTurn(id, `key_${turn}`, 10)
        const [row] = yield* sql<{ readonly turns: string }>`SELECT turns FROM sessions`
        kept.push((JSON.parse(row?.turns ?? "") as ReadonlyArray<unknown>).length)
      }
      assert.deepStrictEqual(
        kept,
        Array.from({ length: 60 }, (_, turn) => Math.min(turn + 1, 20))
      )
    }).pipe(Effect.provide(storeOver(SqliteClient.layer({ filename: ":memory:" }))))
  )
})
