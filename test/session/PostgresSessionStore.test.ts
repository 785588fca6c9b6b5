import { PgClient } from "@effect/sql-pg"
import { afterAll, beforeAll, describe } from "@effect/vitest"
import { Duration, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as SqlSessionStore from "../../src/session/SqlSessionStore.ts"
import { Postgres, sharedBy } from "../support/Postgres.ts"
import { testSecrets } from "../support/TestSecrets.ts"
import { contract, Passing } from "./contract.ts"

/**
 * A new database whose clock stands until it is set on: a function of the same name hides PostgreSQL's own, as the search
 * path allows.
 */
const clocked = (url: string) => {
  const client = Layer.orDie(
    PgClient.layer({
      url: Redacted.make(url),
      maxConnections: 4,
      startupParameters: { search_path: "fake, public, pg_catalog" }
    })
  )
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
  const store = SqlSessionStore.layer().pipe(Layer.provide(testSecrets))
  return store.pipe(Layer.provideMerge(clock), Layer.provide(client))
}

const postgres = sharedBy({ afterAll, beforeAll })

const fresh = () =>
  Layer.unwrap(
    Effect.map(
      Effect.flatMap(Postgres, ({ database }) => database),
      clocked
    )
  ).pipe(Layer.provide(postgres))

describe("SqlSessionStore on PostgreSQL", () => {
  contract(fresh, 20)
})
