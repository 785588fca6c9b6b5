import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Keys, of which only hashes are kept, and what the limits of principals are counted by. An index has the sessions that are
 * held, so that counting them reads no others. Times of keys are milliseconds, those of limits microseconds.
 */
export const createTenancy = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const integer = sql.literal("BIGINT")
  yield* sql`
    CREATE TABLE api_keys (
      id TEXT PRIMARY KEY,
      hash TEXT NOT NULL UNIQUE,
      prefix TEXT NOT NULL,
      principal TEXT NOT NULL,
      created_at ${integer} NOT NULL,
      revoked_at ${integer}
    )
  `
  yield* sql`
    CREATE TABLE rate_limits (
      id TEXT PRIMARY KEY,
      taken ${integer} NOT NULL,
      expires_at ${integer} NOT NULL,
      asked_at ${integer} NOT NULL,
      refused ${integer} NOT NULL
    )
  `
  yield* sql`CREATE INDEX rate_limits_by_expiry ON rate_limits (expires_at)`
  yield* sql`CREATE INDEX sessions_held ON sessions (principal, lease_expires_at) WHERE lease_expires_at > 0`
})
