import { Cause, Effect, Layer } from "effect"
import * as Arr from "effect/Array"
import { SqlClient, SqlError } from "effect/sql"
import type { SessionId } from "../protocol/Session.ts"
import * as Migrations from "./Migrations.ts"
import * as KnownKeys from "./KnownKeys.ts"
import { type CannotOpen, SecretBox } from "./SecretBox.ts"
import type { Principal } from "./Session.ts"
import type { Row } from "./SessionRecord.ts"
import * as SessionRows from "./SessionRows.ts"
import { type Lease, SessionStore, StoreError } from "./SessionStore.ts"
import type { SessionTable } from "./SessionTable.ts"
import * as SqlClock from "./SqlClock.ts"
import { failed } from "./SqlRow.ts"
import * as TableSessionStore from "./TableSessionStore.ts"

/** Rows in one statement; SQLite takes up to 32,766 parameters, PostgreSQL 65,535. */
const rowsPerInsert = 500

/**
 * A connection that died in the middle cannot be rolled back either, and the client takes both failures for bugs, which
 * nobody would try again. The database is away, that is all.
 */
const connectionDied = <E>(cause: Cause.Cause<E>): Effect.Effect<never, E | StoreError> => {
  const died = cause.reasons.filter(Cause.isDieReason).find(({ defect }) => SqlError.isSqlError(defect))
  return died === undefined ? Effect.failCause(cause) : Effect.fail(failed("transaction")(died.defect))
}

const makeTable = (sql: SqlClient.SqlClient, box: SecretBox["Service"]): SessionTable => {
  const insertRows = (id: SessionId, rows: ReadonlyArray<Row>) =>
    Effect.forEach(
      Arr.chunksOf(rows, rowsPerInsert),
      (batch) =>
        sql`INSERT INTO history ${sql.insert(
          Arr.map(batch, (row) => ({ session_id: id, ...SessionRows.toHistoryColumns(row) }))
        )}`,
      { discard: true }
    )
  /** A SQLite transaction locks the whole database from its beginning. */
  const forUpdate = sql.onDialectOrElse({ pg: () => sql.literal("FOR UPDATE"), orElse: () => sql.literal("") })
  /** One statement for any number of positions. */
  const positionsOf = (json: string) =>
    sql.onDialectOrElse({
      pg: () => sql`SELECT value::bigint FROM json_array_elements_text(${json}::json)`,
      orElse: () => sql`SELECT value FROM json_each(${json})`
    })
  /** One statement for any number of leases. */
  const pairsOf = (leases: ReadonlyArray<Lease>) => {
    const json = JSON.stringify(leases.map(({ fence, sessionId }) => [sessionId, fence]))
    return sql.onDialectOrElse({
      pg: () => sql`SELECT value ->> 0, (value ->> 1)::bigint FROM json_array_elements(${json}::json)`,
      orElse: () => sql`SELECT value ->> 0, value ->> 1 FROM json_each(${json})`
    })
  }
  /** What another transaction holds is being used, whatever it looked like before. */
  const passOver = sql.onDialectOrElse({
    pg: () => sql.literal("FOR UPDATE SKIP LOCKED"),
    orElse: () => sql.literal("")
  })
  /** A lock of the transaction over a hash; where two principals share one they wait for each other, and no more. */
  const lockOwner = (owner: Principal) =>
    sql.onDialectOrElse({
      pg: () => Effect.asVoid(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`effect-aap ${owner}`}, 0))`),
      orElse: () => Effect.void
    })
  const count = (rows: Effect.Effect<ReadonlyArray<unknown>, unknown>, operation: string) =>
    rows.pipe(
      Effect.map(({ length }) => length),
      Effect.mapError(failed(operation))
    )
  return {
    transaction: (effect) =>
      sql
        .withTransaction(effect)
        .pipe(Effect.catchCause(connectionDied), Effect.catchIf(SqlError.isSqlError, failed("transaction"))),
    ping: Effect.asVoid(Effect.mapError(sql`SELECT 1 FROM sessions LIMIT 1`, failed("ping"))),
    now: SqlClock.make(sql),
    find: (id, lock) =>
      sql`SELECT * FROM sessions WHERE id = ${id} ${lock ? forUpdate : sql.literal("")}`.pipe(
        Effect.flatMap((rows) => SessionRows.decodeSessions(box, rows)),
        Effect.map(([stored]) => stored),
        Effect.mapError(failed("find"))
      ),
    insert: (owner, { record, rows }, { at, keyed }) =>
      sql`INSERT INTO sessions ${sql.insert({
        principal: owner,
        created_at: at,
        creation_key: keyed?.key ?? null,
        creation_fingerprint: keyed?.fingerprint ?? null,
        ...SessionRows.toColumns(box, record)
      })}`.pipe(Effect.andThen(insertRows(record.session.id, rows)), Effect.mapError(failed("insert"))),
    created: (owner, key) =>
      sql`
        SELECT id, creation_fingerprint, created_at FROM sessions WHERE principal = ${owner} AND creation_key = ${key}
      `.pipe(Effect.flatMap(SessionRows.decodeCreated), Effect.mapError(failed("created"))),
    forgetKey: (id) =>
      Effect.asVoid(
        Effect.mapError(sql`UPDATE sessions SET creation_key = NULL WHERE id = ${id}`, failed("forget a key"))
      ),
    write: ({ record, rows }) =>
      sql`
        UPDATE sessions SET ${sql.update(SessionRows.toColumns(box, record), ["id"])} WHERE id = ${record.session.id}
      `.pipe(Effect.andThen(insertRows(record.session.id, rows)), Effect.mapError(failed("write"))),
    renew: (leases, now, until) =>
      sql`
        UPDATE sessions SET lease_expires_at = ${until} WHERE id IN (
          SELECT id FROM sessions WHERE lease_expires_at > ${now} AND (id, fence) IN (${pairsOf(leases)}) ${passOver}
        )
      `.pipe(
        Effect.andThen(sql`
          SELECT id, fence FROM sessions WHERE lease_expires_at > ${now} AND (id, fence) IN (${pairsOf(leases)})
        `),
        Effect.flatMap(SessionRows.decodeLeases),
        Effect.mapError(failed("renew"))
      ),
    rows: (id, { from, kept } = { from: 0, kept: [] }) =>
      sql`
        SELECT position, entry FROM history
        WHERE session_id = ${id} AND (position >= ${from} OR position IN (${positionsOf(JSON.stringify(kept))}))
        ORDER BY position
      `.pipe(Effect.flatMap(SessionRows.decodeHistory), Effect.mapError(failed("rows"))),
    remove: (id) => Effect.asVoid(Effect.mapError(sql`DELETE FROM sessions WHERE id = ${id}`, failed("remove"))),
    expire: (before, now, limit) =>
      sql`
        DELETE FROM sessions WHERE id IN (
          SELECT id FROM sessions WHERE touched_at < ${before} AND lease_expires_at <= ${now}
          ORDER BY touched_at LIMIT ${limit} ${passOver}
        ) RETURNING id
      `.pipe(
        Effect.map((rows) => rows.length),
        Effect.mapError(failed("expire"))
      ),
    page: (owner, before, limit) =>
      sql`
        SELECT * FROM sessions
        WHERE principal = ${owner} AND sequence < ${before ?? Number.MAX_SAFE_INTEGER}
        ORDER BY sequence DESC LIMIT ${limit}
      `.pipe(
        Effect.flatMap((rows) => SessionRows.decodeSessions(box, rows)),
        Effect.mapError(failed("page"))
      ),
    lockOwner: (owner) => Effect.mapError(lockOwner(owner), failed("lock a principal")),
    countSessions: (owner, atMost) =>
      count(sql`SELECT 1 FROM sessions WHERE principal = ${owner} LIMIT ${atMost}`, "count sessions"),
    countHeld: (owner, now, atMost) =>
      count(
        sql`
          SELECT 1 FROM sessions
          WHERE principal = ${owner} AND lease_expires_at > 0 AND lease_expires_at > ${now} LIMIT ${atMost}
        `,
        "count turns"
      )
  }
}

/** Options of the store over SQL. */
export interface SqlStoreOptions extends TableSessionStore.StoreOptions {
  /**
   * Whether this process is the only one that runs turns on the database, as with a SQLite file: every lease that is
   * still held is then a dead process's, and lapses at once. Should that process live after all, it can write nothing.
   */
  readonly takeOver?: boolean
}

const takeOver = (sql: SqlClient.SqlClient) =>
  Effect.asVoid(sql`UPDATE sessions SET fence = fence + 1, lease_expires_at = 0 WHERE lease_expires_at > 0`)

/**
 * Sessions in a SQL database, which is brought to the newest schema first. Their options are sealed by the `SecretBox`; one
 * whose keys the database does not know is refused.
 */
export const layer = (
  options: SqlStoreOptions = {}
): Layer.Layer<SessionStore, CannotOpen | StoreError, SqlClient.SqlClient | SecretBox> =>
  Layer.effect(
    SessionStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* Effect.mapError(Migrations.run, (cause) => new StoreError({ operation: "migrate", cause }))
      if (options.takeOver === true) yield* Effect.mapError(takeOver(sql), failed("take over"))
      const box = yield* SecretBox
      yield* Effect.catchIf(KnownKeys.check(sql, box), SqlError.isSqlError, (cause) =>
        Effect.fail(failed("look for its keys")(cause))
      )
      return TableSessionStore.make(makeTable(sql, box), box, options)
    })
  )
