import { PgClient } from "@effect/sql-pg"
import { Duration, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { Passing } from "../session/contract.ts"
import { Postgres } from "./Postgres.ts"

/** Clients of a database whose clock stands: a function of the same name hides PostgreSQL's own, as the search path allows. */
export const clientOf = (url: string) =>
  Layer.orDie(
    PgClient.layer({
      url: Redacted.make(url),
      maxConnections: 4,
      startupParameters: { search_path: "fake, public, pg_catalog" }
    })
  )

/** Stops the clock of the database, and sets it on. */
const clock = Layer.effect(
  Passing,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`CREATE SCHEMA fake`
    yield* sql`CREATE TABLE fake.clock AS SELECT to_timestamp(1000000) AS now`
    yield* sql`
      CREATE FUNCTION fake.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS 'SELECT now FROM fake.clock'
    `
    return {
      pass: (duration) =>
        Effect.orDie(
          sql`UPDATE fake.clock SET now = now + ${Duration.toMillis(duration)}::float8 * interval '1 millisecond'`
        )
    }
  })
).pipe(Layer.orDie)

/** A client of an empty database whose clock is stopped first. */
export const clocked = (url: string) => Layer.provideMerge(clock, clientOf(url))

/** A client of a new database whose clock stands until it is set on. */
export const clockedPostgres = Layer.unwrap(
  Effect.map(
    Effect.flatMap(Postgres, ({ database }) => database),
    clocked
  )
)
