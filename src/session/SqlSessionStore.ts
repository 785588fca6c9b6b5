import { Clock, Effect, Layer, Schema } from "effect"
import * as Arr from "effect/Array"
import { SqlClient, SqlError } from "effect/sql"
import { HistoryEntry } from "../history/HistoryEntry.ts"
import { PendingCall } from "../history/PendingCall.ts"
import { AgentConfig } from "../protocol/Agent.ts"
import { SessionId } from "../protocol/Session.ts"
import { ToolSpec } from "../protocol/Tool.ts"
import * as Migrations from "./Migrations.ts"
import { Principal } from "./Session.ts"
import type { Row, SessionRecord } from "./SessionRecord.ts"
import { SessionStore, StoreError } from "./SessionStore.ts"
import type { SessionTable } from "./SessionTable.ts"
import * as TableSessionStore from "./TableSessionStore.ts"

const StoredCall = Schema.Struct({ ...PendingCall.fields, position: Schema.optionalKey(Schema.Int) })

/** A row of the table `sessions`. A driver may give large integers as text. */
const SessionRow = Schema.Struct({
  sequence: Schema.Union([Schema.Int, Schema.FiniteFromString]),
  id: SessionId,
  principal: Principal,
  agent: Schema.fromJsonString(AgentConfig),
  tools: Schema.fromJsonString(Schema.Array(ToolSpec)),
  pending: Schema.fromJsonString(Schema.Array(StoredCall)),
  next_position: Schema.Union([Schema.Int, Schema.FiniteFromString]),
  fence: Schema.Union([Schema.Int, Schema.FiniteFromString]),
  lease_expires_at: Schema.Union([Schema.Int, Schema.FiniteFromString])
})

/** A row of the table `history`. */
const HistoryRow = Schema.Struct({
  position: Schema.Union([Schema.Int, Schema.FiniteFromString]),
  entry: Schema.fromJsonString(HistoryEntry)
})

const decodeSessions = Schema.decodeUnknownEffect(Schema.Array(SessionRow))
const decodeHistory = Schema.decodeUnknownEffect(Schema.Array(HistoryRow))
const encodeRow = Schema.encodeSync(HistoryRow)
const encodeRecord = Schema.encodeSync(SessionRow.mapFields(({ principal: _p, sequence: _s, ...fields }) => fields))

/** Rows in one statement; SQLite takes up to 32,766 parameters. */
const rowsPerInsert = 500

const toColumns = ({ expiresAt, fence, next, pending, session }: SessionRecord) =>
  encodeRecord({
    id: session.id,
    agent: session.agent,
    tools: session.tools,
    pending,
    next_position: next,
    fence,
    lease_expires_at: expiresAt
  })

const toStored = (row: typeof SessionRow.Type) => ({
  owner: row.principal,
  sequence: row.sequence,
  record: {
    session: { id: row.id, agent: row.agent, tools: row.tools },
    pending: row.pending,
    next: row.next_position,
    fence: row.fence,
    expiresAt: row.lease_expires_at
  }
})

const failed = (operation: string) => (cause: unknown) => new StoreError({ operation, cause })

const makeTable = (sql: SqlClient.SqlClient): SessionTable => {
  const insertRows = (id: SessionId, rows: ReadonlyArray<Row>) =>
    Effect.forEach(
      Arr.chunksOf(rows, rowsPerInsert),
      (batch) =>
        sql`INSERT INTO history ${sql.insert(Arr.map(batch, (row) => ({ session_id: id, ...encodeRow(row) })))}`,
      { discard: true }
    )
  return {
    transaction: (effect) => Effect.catchIf(sql.withTransaction(effect), SqlError.isSqlError, failed("transaction")),
    now: Clock.currentTimeMillis,
    find: (id) =>
      sql`SELECT * FROM sessions WHERE id = ${id}`.pipe(
        Effect.flatMap(decodeSessions),
        Effect.map(([row]) => (row === undefined ? undefined : toStored(row))),
        Effect.mapError(failed("find"))
      ),
    insert: (owner, { record, rows }) =>
      sql`INSERT INTO sessions ${sql.insert({ principal: owner, ...toColumns(record) })}`.pipe(
        Effect.andThen(insertRows(record.session.id, rows)),
        Effect.mapError(failed("insert"))
      ),
    write: ({ record, rows }) =>
      sql`UPDATE sessions SET ${sql.update(toColumns(record), ["id"])} WHERE id = ${record.session.id}`.pipe(
        Effect.andThen(insertRows(record.session.id, rows)),
        Effect.mapError(failed("write"))
      ),
    rows: (id) =>
      sql`SELECT position, entry FROM history WHERE session_id = ${id} ORDER BY position`.pipe(
        Effect.flatMap(decodeHistory),
        Effect.mapError(failed("rows"))
      ),
    remove: (id) => Effect.asVoid(Effect.mapError(sql`DELETE FROM sessions WHERE id = ${id}`, failed("remove"))),
    page: (owner, before, limit) =>
      sql`
        SELECT * FROM sessions
        WHERE principal = ${owner} AND sequence < ${before ?? Number.MAX_SAFE_INTEGER}
        ORDER BY sequence DESC LIMIT ${limit}
      `.pipe(
        Effect.flatMap(decodeSessions),
        Effect.map((rows) => rows.map(toStored)),
        Effect.mapError(failed("page"))
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

/** Sessions in a SQL database, which is brought to the newest schema first. */
export const layer = (options: SqlStoreOptions = {}): Layer.Layer<SessionStore, StoreError, SqlClient.SqlClient> =>
  Layer.effect(
    SessionStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* Effect.mapError(Migrations.run, (cause) => new StoreError({ operation: "migrate", cause }))
      if (options.takeOver === true) yield* Effect.mapError(takeOver(sql), failed("take over"))
      return TableSessionStore.make(makeTable(sql), options)
    })
  )
