import { dirname, join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option, type Redacted } from "effect"
import { RateLimiter } from "effect/persistence"
import type { SqlClient, SqlError } from "effect/sql"
import type { Limits } from "../session/Limits.ts"
import * as MemorySessionStore from "../session/MemorySessionStore.ts"
import * as RequestLimit from "../session/RequestLimit.ts"
import * as RootCause from "../protocol/RootCause.ts"
import { type CannotOpen, SecretBox } from "../session/SecretBox.ts"
import * as Migrations from "../session/Migrations.ts"
import { type SessionStore, StoreError } from "../session/SessionStore.ts"
import * as SqliteClient from "../session/SqliteClient.ts"
import * as SqlKeyStore from "../session/SqlKeyStore.ts"
import * as SqlRateLimiterStore from "../session/SqlRateLimiterStore.ts"
import * as SqlSessionStore from "../session/SqlSessionStore.ts"
import { type DatabaseSetting, databaseText } from "./DatabaseSetting.ts"
import { InvalidSetting } from "./Setting.ts"
import type { Settings } from "./Settings.ts"

/** What a store is made from. */
type StoreSettings = Pick<Settings, "database" | "leaseDuration" | "limits" | "secretKeys">

/** A layer that cannot be built is a setting's fault. */
const blame =
  (variable: string, where: string) =>
  <A, E extends Error, R>(layer: Layer.Layer<A, E, R>): Layer.Layer<A, InvalidSetting, R> =>
    Layer.catch(layer, ({ message }) =>
      Layer.effectContext(Effect.fail(new InvalidSetting({ variable, problem: `${where}: ${message}` })))
    )

/** So is a database that nothing can be done with. */
const blameDatabase =
  (database: DatabaseSetting) =>
  <A, R>(layer: Layer.Layer<A, CannotOpen | StoreError, R>): Layer.Layer<A, InvalidSetting, R> =>
    Layer.catch(layer, (error) => {
      if (error._tag === "CannotOpen") {
        return Layer.effectContext(
          Effect.fail(new InvalidSetting({ variable: "AAP_SECRET_KEY", problem: error.message }))
        )
      }
      const problem = `${databaseText(database)} cannot be used: ${RootCause.message(error)}`
      return Layer.effectContext(Effect.fail(new InvalidSetting({ variable: "DATABASE_URL", problem })))
    })

/** The key that options are sealed with; made beside a SQLite file where none is given. */
const secretsLayer = ({ database, secretKeys }: StoreSettings): Layer.Layer<SecretBox, InvalidSetting> => {
  const [first, ...others] = secretKeys
  if (first !== undefined) return SecretBox.layer(first, ...others).pipe(blame("AAP_SECRET_KEY", "it cannot be used"))
  return database.kind === "sqlite"
    ? SecretBox.file(join(dirname(database.filename), "secret.key")).pipe(blame("AAP_SECRET_KEY", "none is given"))
    : SecretBox.ephemeral
}

/**
 * No statement waits for ever: not for a lock, which another server may hold that has died, and not for a slow disk. Who
 * holds locks and has gone silent loses them. In milliseconds, far below what a turn has the patience for.
 */
const bounds = {
  lock_timeout: "2000",
  statement_timeout: "10000",
  idle_in_transaction_session_timeout: "5000"
}

/** A schema is changed by one server at a time, and takes as long as it takes: the others wait for it. */
const migrated = (url: Redacted.Redacted<string>): Layer.Layer<never, StoreError> =>
  Layer.effectDiscard(Effect.mapError(Migrations.run, (cause) => new StoreError({ operation: "migrate", cause }))).pipe(
    Layer.provide(PgClient.layer({ url, applicationName: "effect-aap", maxConnections: 1 })),
    Layer.catchTag("SqlError", (cause) =>
      Layer.effectContext(Effect.fail(new StoreError({ operation: "connect", cause })))
    )
  )

/** The PostgreSQL of a URL, as a server of ours speaks to it. */
export const postgresClient = (url: Redacted.Redacted<string>): Layer.Layer<SqlClient.SqlClient, SqlError.SqlError> =>
  PgClient.layer({ url, applicationName: "effect-aap", startupParameters: bounds, keepAlive: "10 seconds" })

const clientLayer = (
  database: Exclude<Settings["database"], { readonly kind: "memory" }>
): Layer.Layer<SqlClient.SqlClient, InvalidSetting> => {
  switch (database.kind) {
    case "sqlite":
      return SqliteClient.layer(database).pipe(blame("DATABASE_URL", `${database.filename} cannot be opened`))
    case "postgres":
      return postgresClient(database.url).pipe(
        blame("DATABASE_URL", `${databaseText(database)} cannot be reached`),
        Layer.provide(blameDatabase(database)(migrated(database.url)))
      )
  }
}

/** How many requests a principal may send, counted where its servers meet. */
const requestsLayer = <E, R>(
  { limits }: StoreSettings,
  store: Layer.Layer<RateLimiter.RateLimiterStore, E, R>
): Layer.Layer<never, E, R> =>
  Option.match(limits.requests, {
    onNone: () => Layer.empty,
    onSome: (limit) => Layer.provide(RequestLimit.perMinute(limit), store)
  })

/** What the settings name: the session store, the keys beside it, and the limits of principals. */
export const layer = (settings: StoreSettings): Layer.Layer<SessionStore, InvalidSetting> => {
  const { database, leaseDuration } = settings
  const { sessions, turns } = settings.limits
  const limits: Limits = {
    ...(Option.isSome(turns) ? { turns: turns.value } : {}),
    ...(Option.isSome(sessions) ? { sessions: sessions.value } : {})
  }
  return database.kind === "memory"
    ? Layer.merge(
        MemorySessionStore.layer({ leaseDuration, limits }),
        requestsLayer(settings, RateLimiter.layerStoreMemory)
      )
    : Layer.mergeAll(
        SqlSessionStore.layer({ leaseDuration, limits, takeOver: database.kind === "sqlite" }),
        SqlKeyStore.layer,
        requestsLayer(settings, SqlRateLimiterStore.layer)
      ).pipe(blameDatabase(database), Layer.provide(Layer.provideMerge(secretsLayer(settings), clientLayer(database))))
}

/** The keys of a database alone. */
export const keysLayer = (database: DatabaseSetting): Layer.Layer<never, InvalidSetting> => {
  if (database.kind !== "memory")
    return SqlKeyStore.layer.pipe(blameDatabase(database), Layer.provide(clientLayer(database)))
  const problem =
    "memory: is each process's own and gone with it, so no server could know the key; give the server's database, such as sqlite:./data/aap.db"
  return Layer.effectContext(Effect.fail(new InvalidSetting({ variable: "DATABASE_URL", problem })))
}
