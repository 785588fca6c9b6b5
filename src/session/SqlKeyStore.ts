import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type KeptKey, KeyNotFound, KeyStore } from "./KeyStore.ts"
import * as KeyText from "./KeyText.ts"
import * as Migrations from "./Migrations.ts"
import { Principal } from "./Session.ts"
import type { StoreError } from "./SessionStore.ts"
import * as SqlClock from "./SqlClock.ts"
import { failed, Whole } from "./SqlRow.ts"

const KeyRow = Schema.Struct({
  id: Schema.String,
  prefix: Schema.String,
  principal: Principal,
  created_at: Whole,
  revoked_at: Schema.NullOr(Whole)
})
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(KeyRow))

const toKept = ({ created_at, id, prefix, principal, revoked_at }: typeof KeyRow.Type): KeptKey => ({
  id,
  prefix,
  principal,
  createdAt: Number(created_at),
  ...(revoked_at === null ? {} : { revokedAt: Number(revoked_at) })
})

const make = (sql: SqlClient.SqlClient): KeyStore => {
  const now = SqlClock.make(sql)
  const columns = sql.literal("id, prefix, principal, created_at, revoked_at")
  const keys = (operation: string, rows: Effect.Effect<unknown, unknown>) =>
    rows.pipe(
      Effect.flatMap(decodeRows),
      Effect.map((rows) => rows.map(toKept)),
      Effect.mapError(failed(operation))
    )
  return {
    add: Effect.fnUntraced(function* (principal) {
      const { hash, id, key, prefix } = KeyText.make()
      const kept: KeptKey = { id, prefix, principal, createdAt: yield* now }
      const row = { id, hash, prefix, principal, created_at: kept.createdAt }
      yield* Effect.mapError(sql`INSERT INTO api_keys ${sql.insert(row)}`, failed("add a key"))
      return { key, kept }
    }),
    list: keys("list keys", sql`SELECT ${columns} FROM api_keys ORDER BY created_at, id`),
    revoke: Effect.fnUntraced(function* (id) {
      const [revoked] = yield* keys(
        "revoke a key",
        sql`
          UPDATE api_keys SET revoked_at = ${yield* now} WHERE id = ${id} AND revoked_at IS NULL RETURNING ${columns}
        `
      )
      if (revoked !== undefined) return { isNew: true, kept: revoked }
      const [before] = yield* keys("find a key", sql`SELECT ${columns} FROM api_keys WHERE id = ${id}`)
      if (before === undefined) return yield* new KeyNotFound({ id })
      return { isNew: false, kept: before }
    }),
    principalOf: (hash) =>
      keys("find a key", sql`SELECT ${columns} FROM api_keys WHERE hash = ${hash} AND revoked_at IS NULL`).pipe(
        Effect.map(([key]) => Option.map(Option.fromUndefinedOr(key), ({ principal }) => principal))
      ),
    hasKeys: sql`SELECT id FROM api_keys LIMIT 1`.pipe(
      Effect.map((rows) => rows.length > 0),
      Effect.mapError(failed("look for keys"))
    )
  }
}

/** Keys in a SQL database, which is brought to the newest schema first. Several processes may share it. */
export const layer: Layer.Layer<never, StoreError, SqlClient.SqlClient> = Layer.effect(
  KeyStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* Effect.mapError(Migrations.run, failed("migrate"))
    return make(sql)
  })
)
