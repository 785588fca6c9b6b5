import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { KeyStore } from "../../src/session/KeyStore.ts"
import * as KeyText from "../../src/session/KeyText.ts"
import * as SqliteClient from "../../src/session/SqliteClient.ts"
import * as SqlKeyStore from "../../src/session/SqlKeyStore.ts"
import { clientOf, clockedPostgres } from "../support/ClockedPostgres.ts"
import { Postgres, sharedBy } from "../support/Postgres.ts"
import { temporaryFile } from "../support/TemporaryFile.ts"
import { ada, bob, failure, Passing, pass } from "./contract.ts"

const postgres = sharedBy({ afterAll, beforeAll })

const sqlite = (filename: string) => Layer.orDie(SqliteClient.layer({ filename }))

const ownerOf = Effect.fnUntraced(function* (key: Redacted.Redacted<string>) {
  const keys = yield* KeyStore
  return Option.getOrUndefined(yield* keys.principalOf(KeyText.hash(key)))
})

const keyContract = (database: () => Layer.Layer<SqlClient.SqlClient | Passing>) => {
  const test = (name: string, run: Effect.Effect<void, unknown, SqlClient.SqlClient | Passing>) =>
    it.effect(name, () => run.pipe(Effect.provide(Layer.provideMerge(SqlKeyStore.layer, database()))))

  test(
    "knows whose a key is, until it is revoked",
    Effect.gen(function* () {
      const keys = yield* KeyStore
      const [one, two, other] = [yield* keys.add(ada), yield* keys.add(ada), yield* keys.add(bob)]
      assert.match(Redacted.value(one.key), /^aap_[\w-]{43}$/)
      assert.strictEqual(yield* ownerOf(one.key), ada)
      assert.strictEqual(yield* ownerOf(two.key), ada)
      assert.strictEqual(yield* ownerOf(other.key), bob)
      for (const text of [
        "",
        "aap_",
        `${Redacted.value(one.key)}x`,
        one.kept.id,
        one.kept.prefix,
        KeyText.hash(one.key)
      ])
        assert.strictEqual(yield* ownerOf(Redacted.make(text)), undefined)
      yield* keys.revoke(one.kept.id)
      assert.strictEqual(yield* ownerOf(one.key), undefined)
      assert.strictEqual(yield* ownerOf(two.key), ada)
    })
  )

  test(
    "lists what it has had, the oldest first, and says when",
    Effect.gen(function* () {
      const keys = yield* KeyStore
      assert.deepStrictEqual(yield* keys.list, [])
      const { kept: first } = yield* keys.add(bob)
      yield* pass("1 second")
      const { kept: second } = yield* keys.add(ada)
      assert.strictEqual(second.createdAt - first.createdAt, 1000)
      yield* pass("1 second")
      const revoked = { ...first, revokedAt: first.createdAt + 2000 }
      assert.deepStrictEqual(yield* keys.revoke(first.id), { isNew: true, kept: revoked })
      yield* pass("1 second")
      assert.deepStrictEqual(yield* keys.revoke(first.id), { isNew: false, kept: revoked })
      assert.deepStrictEqual(yield* keys.list, [revoked, second])
      assert.strictEqual(yield* failure(keys.revoke("key_none")), "KeyNotFound")
    })
  )

  test(
    "remembers that it has had a key",
    Effect.gen(function* () {
      const keys = yield* KeyStore
      assert.isFalse(yield* keys.hasKeys)
      const { kept } = yield* keys.add(ada)
      assert.isTrue(yield* keys.hasKeys)
      yield* keys.revoke(kept.id)
      assert.isTrue(yield* keys.hasKeys)
    })
  )

  test(
    "says that its database failed",
    Effect.gen(function* () {
      const keys = yield* KeyStore
      const sql = yield* SqlClient.SqlClient
      const { kept } = yield* keys.add(ada)
      yield* sql`DROP TABLE api_keys`
      for (const run of [keys.add(ada), keys.list, keys.revoke(kept.id), keys.principalOf("x"), keys.hasKeys])
        assert.strictEqual(yield* failure<unknown, unknown, never>(run), "StoreError")
    })
  )
}

/** Two stores over one database, each with a connection of its own. */
const pair = Effect.fnUntraced(function* (client: () => Layer.Layer<SqlClient.SqlClient>) {
  const build = Effect.map(Layer.build(Layer.fresh(Layer.provide(SqlKeyStore.layer, client()))), (context) =>
    Context.get(context, KeyStore)
  )
  return [yield* build, yield* build] as const
})

/** What is true for one is true for the other at the next question. */
const agree = Effect.fnUntraced(function* ([here, there]: readonly [KeyStore, KeyStore]) {
  assert.isFalse(yield* there.hasKeys)
  const { kept, key } = yield* here.add(ada)
  assert.isTrue(yield* there.hasKeys)
  assert.deepStrictEqual(yield* there.principalOf(KeyText.hash(key)), Option.some(ada))
  yield* there.revoke(kept.id)
  assert.deepStrictEqual(yield* here.principalOf(KeyText.hash(key)), Option.none())
  assert.deepStrictEqual(yield* here.list, yield* there.list)
})

describe("KeyStore", () => {
  describe("on SQLite", () => {
    keyContract(() => Layer.merge(sqlite(":memory:"), Passing.testClock))

    it.effect("is one for two processes", () =>
      Effect.gen(function* () {
        const filename = yield* temporaryFile
        yield* agree(yield* pair(() => sqlite(filename)))
      })
    )

    it.effect("has nothing of a key in its files but the first characters", () =>
      Effect.gen(function* () {
        const filename = yield* temporaryFile
        const files = () =>
          readdirSync(dirname(filename)).map((name) => readFileSync(join(dirname(filename), name), "latin1"))
        const text = yield* Effect.gen(function* () {
          const { key, kept } = yield* (yield* KeyStore).add(ada)
          assert.include(files().join(""), KeyText.hash(key))
          assert.include(files().join(""), kept.prefix)
          for (const file of files()) assert.notInclude(file, Redacted.value(key).slice(kept.prefix.length))
          return Redacted.value(key)
        }).pipe(Effect.provide(Layer.provide(SqlKeyStore.layer, sqlite(filename))))
        const bytes = Buffer.from(text.slice(4), "base64url").toString("latin1")
        for (const file of files()) {
          assert.notInclude(file, text.slice(8))
          assert.notInclude(file, bytes)
        }
      })
    )
  })

  describe("on PostgreSQL", () => {
    keyContract(() => Layer.provide(clockedPostgres, postgres))

    it.effect("is one for two processes", () =>
      Effect.gen(function* () {
        const url = yield* (yield* Postgres).database
        yield* agree(yield* pair(() => clientOf(url)))
      }).pipe(Effect.provide(postgres))
    )
  })

  it.effect("has no keys, and takes none, where no database keeps them", () =>
    Effect.gen(function* () {
      const keys = yield* KeyStore
      assert.isFalse(yield* keys.hasKeys)
      assert.deepStrictEqual(yield* keys.list, [])
      assert.strictEqual(yield* failure(keys.add(ada)), "StoreError")
      assert.strictEqual(yield* failure(keys.revoke("key_1")), "KeyNotFound")
      assert.isTrue(Option.isNone(yield* keys.principalOf("x")))
    })
  )
})
