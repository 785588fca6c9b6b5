import { Clock, Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { StoreError } from "./SessionStore.ts"

/**
 * Milliseconds of the clock that rules what is stored: the database's own where several processes share it, since theirs
 * may differ.
 */
export const make = (sql: SqlClient.SqlClient): Effect.Effect<number, StoreError> =>
  sql.onDialectOrElse({
    pg: () =>
      sql<{ readonly now: bigint | number }>`
        SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now
      `.pipe(
        Effect.map(([row]) => Number(row?.now)),
        Effect.mapError((cause) => new StoreError({ operation: "now", cause }))
      ),
    orElse: () => Clock.currentTimeMillis
  })

/** The same clock as a part of a statement, in microseconds. */
export const microseconds = (sql: SqlClient.SqlClient): Effect.Effect<Statement.Fragment> =>
  sql.onDialectOrElse({
    pg: () => Effect.succeed(sql`(extract(epoch FROM clock_timestamp()) * 1000000)::bigint`),
    orElse: () => Effect.map(Clock.currentTimeMillis, (now) => sql`CAST(${now * 1000} AS BIGINT)`)
  })
