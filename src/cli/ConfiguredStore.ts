import { dirname, join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import * as MemorySessionStore from "../session/MemorySessionStore.ts"
import { SecretBox } from "../session/SecretBox.ts"
import type { SessionStore, StoreError } from "../session/SessionStore.ts"
import * as SqliteClient from "../session/SqliteClient.ts"
import * as SqlSessionStore from "../session/SqlSessionStore.ts"
import { InvalidSetting, type Settings } from "./Settings.ts"

/** A layer that cannot be built is a setting's fault. */
const blame =
  (variable: string, where: string) =>
  <A, E extends Error, R>(layer: Layer.Layer<A, E, R>): Layer.Layer<A, InvalidSetting, R> =>
    Layer.catch(layer, ({ message }) =>
      Layer.effectContext(Effect.fail(new InvalidSetting({ variable, problem: `${where}: ${message}` })))
    )

/** The key that options are sealed with; made beside a SQLite file where none is given. */
const secretsLayer = ({ database, secretKeys }: Settings): Layer.Layer<SecretBox, InvalidSetting> => {
  const [first, ...others] = secretKeys
  if (first !== undefined) return SecretBox.layer(first, ...others).pipe(blame("AAP_SECRET_KEY", "it cannot be used"))
  return database.kind === "sqlite"
    ? SecretBox.file(join(dirname(database.filename), "secret.key")).pipe(blame("AAP_SECRET_KEY", "none is given"))
    : SecretBox.ephemeral
}

const clientLayer = (
  database: Exclude<Settings["database"], { readonly kind: "memory" }>
): Layer.Layer<SqlClient.SqlClient, InvalidSetting> => {
  switch (database.kind) {
    case "sqlite":
      return SqliteClient.layer(database).pipe(blame("DATABASE_URL", `${database.filename} cannot be opened`))
    case "postgres":
      return PgClient.layer({ url: database.url, applicationName: "effect-aap" }).pipe(
        blame("DATABASE_URL", "the database cannot be reached")
      )
  }
}

/** The session store that the settings name. */
export const layer = (settings: Settings): Layer.Layer<SessionStore, InvalidSetting | StoreError> => {
  const { database, leaseDuration } = settings
  return database.kind === "memory"
    ? MemorySessionStore.layer({ leaseDuration })
    : SqlSessionStore.layer({ leaseDuration, takeOver: database.kind === "sqlite" }).pipe(
        Layer.provide(Layer.merge(clientLayer(database), secretsLayer(settings)))
      )
}
