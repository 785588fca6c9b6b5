import { Effect } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import { createTenancy } from "./TenancyMigration.ts"

/**
 * Sessions and their history. All JSON is text: it is written and read whole, and any string survives in it. `options` is
 * encrypted.
 */
const createSessions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const sequence = sql.onDialectOrElse({
    pg: () => sql.literal("BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"),
    orElse: () => sql.literal("INTEGER PRIMARY KEY AUTOINCREMENT")
  })
  const integer = sql.literal("BIGINT")
  yield* sql`
    CREATE TABLE sessions (
      sequence ${sequence},
      id TEXT NOT NULL UNIQUE,
      principal TEXT NOT NULL,
      agent TEXT NOT NULL,
      options TEXT,
      tools TEXT NOT NULL,
      pending TEXT NOT NULL,
      next_position ${integer} NOT NULL,
      fence ${integer} NOT NULL,
      commits ${integer} NOT NULL,
      lease_expires_at ${integer} NOT NULL,
      touched_at ${integer} NOT NULL,
      turns TEXT NOT NULL,
      created_at ${integer} NOT NULL,
      creation_key TEXT,
      creation_fingerprint TEXT
    )
  `
  yield* sql`CREATE INDEX sessions_by_principal ON sessions (principal, sequence DESC)`
  yield* sql`CREATE INDEX sessions_by_touch ON sessions (touched_at)`
  yield* sql`CREATE UNIQUE INDEX sessions_by_creation_key ON sessions (principal, creation_key)`
  yield* sql`
    CREATE TABLE history (
      session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
      position ${integer} NOT NULL,
      entry TEXT NOT NULL,
      PRIMARY KEY (session_id, position)
    )
  `
})

/** What models are not fed any more of a session's history. */
const addCut = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE sessions ADD COLUMN cut TEXT`
})

/** By what the keys are recognised that options were ever sealed with. */
const createSecretKeys = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE secret_keys (digest TEXT PRIMARY KEY)`
})

/** Brings the database to the newest schema; each migration runs once. */
export const run = Migrator.make({})({
  loader: Migrator.fromRecord({
    "0001_create_sessions": createSessions,
    "0002_add_cut": addCut,
    "0003_create_tenancy": createTenancy,
    "0004_create_secret_keys": createSecretKeys
  }),
  table: "migrations"
})
