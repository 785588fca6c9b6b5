import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Slot from "../../src/history/Slot.ts"
import * as Migrations from "../../src/session/Migrations.ts"
import { SessionStore } from "../../src/session/SessionStore.ts"
import * as SqliteClient from "../../src/session/SqliteClient.ts"
import * as SqlSessionStore from "../../src/session/SqlSessionStore.ts"
import { Postgres, sharedBy } from "../support/Postgres.ts"
import { testSecrets } from "../support/TestSecrets.ts"
import { ada, bring, id, says, session } from "./contract.ts"

const postgres = sharedBy({ afterAll, beforeAll })

const databases = [
  { name: "SQLite", client: Effect.succeed(SqliteClient.layer({ filename: ":memory:" })) },
  {
    name: "PostgreSQL",
    client: Effect.flatMap(Postgres, ({ database }) =>
      Effect.map(database, (url) => PgClient.layer({ url: Redacted.make(url) }))
    )
  }
] as const

/** Takes the database back to its first schema, as a server of that time left it. */
const toFirstSchema = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP INDEX sessions_held`
  for (const table of ["api_keys", "rate_limits", "secret_keys"]) yield* sql.unsafe(`DROP TABLE ${table}`)
  yield* sql`ALTER TABLE sessions DROP COLUMN cut`
  yield* sql`DELETE FROM migrations WHERE migration_id > 1`
})

describe("migrations", () => {
  it.live.each(databases)("bring what an old server left to the newest schema, on $name", ({ client }) =>
    Effect.gen(function* () {
      yield* Effect.gen(function* () {
        const layer = Layer.fresh(Layer.provide(SqlSessionStore.layer(), testSecrets))
        yield* Effect.flatMap(SessionStore, (store) => store.create(ada, session(id), [says("one")])).pipe(
          Effect.provide(layer)
        )
        yield* toFirstSchema
        yield* Effect.gen(function* () {
          const store = yield* SessionStore
          assert.deepStrictEqual(yield* store.get(ada, id), session(id))
          const { history } = yield* store.accept(ada, id, bring(Slot.entry(says("two"))))
          assert.deepStrictEqual(history.tail, ["one", "two"].map(says).map(Slot.entry))
        }).pipe(Effect.provide(layer))
        const sql = yield* SqlClient.SqlClient
        assert.strictEqual((yield* sql`SELECT * FROM migrations`).length, 4)
      }).pipe(Effect.provide(yield* client))
    }).pipe(Effect.provide(postgres))
  )

  it.live("are run once, whatever number of servers begin at the same time", () =>
    Effect.gen(function* () {
      const url = yield* (yield* Postgres).database
      const server = Effect.provide(Migrations.run, Layer.fresh(PgClient.layer({ url: Redacted.make(url) })))
      const ran = yield* Effect.all([server, server, server, server], { concurrency: "unbounded" })
      assert.strictEqual(ran.flat().length, 4)
    }).pipe(Effect.provide(postgres))
  )
})
