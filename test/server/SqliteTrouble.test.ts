import { mkdirSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { SessionStore } from "../../src/session/SessionStore.ts"
import * as SqliteClient from "../../src/session/SqliteClient.ts"
import * as SqlSessionStore from "../../src/session/SqlSessionStore.ts"
import { temporaryFile } from "../support/TemporaryFile.ts"
import { testSecrets } from "../support/TestSecrets.ts"
import { lasts, passes, type Trouble } from "../support/TroubledServer.ts"

interface Place {
  readonly sql: SqlClient.SqlClient
  readonly filename: string
}

const pragma = ({ sql }: Place, text: string) => Effect.orDie(Effect.asVoid(sql.unsafe(`PRAGMA ${text}`)))

const full = (place: Place): Effect.Effect<Trouble> =>
  Effect.succeed({
    breaks: Effect.flatMap(Effect.orDie(place.sql<{ readonly page_count: number }>`PRAGMA page_count`), ([row]) =>
      pragma(place, `max_page_count = ${row?.page_count ?? 0}`)
    ),
    mends: pragma(place, "max_page_count = 1000000")
  })

const readOnly = (place: Place): Effect.Effect<Trouble> =>
  Effect.succeed({ breaks: pragma(place, "query_only = 1"), mends: pragma(place, "query_only = 0") })

/** Another process holds the one lock that writers take. */
const locked = ({ filename }: Place) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new DatabaseSync(filename)),
      (other) => Effect.sync(() => other.close())
    ),
    (other): Trouble => ({
      breaks: Effect.sync(() => other.exec("BEGIN IMMEDIATE")),
      mends: Effect.sync(() => other.exec("ROLLBACK"))
    })
  )

const troubles = [
  { name: "full", trouble: full },
  { name: "read-only", trouble: readOnly },
  { name: "locked by another process", trouble: locked }
]

const prepare = Effect.gen(function* () {
  const filename = yield* temporaryFile
  mkdirSync(dirname(filename), { recursive: true })
  const context = yield* Layer.build(
    SqlSessionStore.layer({ leaseDuration: "2 seconds" }).pipe(
      Layer.provide(testSecrets),
      Layer.provideMerge(SqliteClient.layer({ filename, busyTimeout: 20 }))
    )
  )
  const { sql, store } = yield* Effect.provide(Effect.all({ sql: SqlClient.SqlClient, store: SessionStore }), context)
  return { filename, sql, store: Layer.succeed(SessionStore, store) }
})

describe.concurrent("a SQLite database", () => {
  it.live.each(troubles)("that is $name for a moment costs a turn a pause", ({ trouble }) =>
    Effect.gen(function* () {
      const { store, ...place } = yield* prepare
      yield* Effect.provideService(passes(store, yield* trouble(place)), SqlClient.SqlClient, place.sql)
    })
  )

  it.live.each(troubles)("that stays $name ends a turn with error, and the service is back with it", ({ trouble }) =>
    Effect.gen(function* () {
      const { store, ...place } = yield* prepare
      yield* Effect.provideService(lasts(store, yield* trouble(place)), SqlClient.SqlClient, place.sql)
    })
  )
})
