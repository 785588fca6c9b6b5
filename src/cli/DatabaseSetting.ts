import { Redacted, Result } from "effect"
import type { Parse } from "./SettingValue.ts"

/** Where sessions are kept: in memory, in a SQLite file, or in a PostgreSQL that several servers share. */
export type DatabaseSetting =
  | { readonly kind: "memory" }
  | { readonly kind: "sqlite"; readonly filename: string }
  | { readonly kind: "postgres"; readonly url: Redacted.Redacted<string> }

/** A database as people are told of it: without its password. */
export const databaseText = (database: DatabaseSetting): string => {
  switch (database.kind) {
    case "memory":
      return "in memory, gone with the process"
    case "sqlite":
      return `SQLite at ${database.filename}`
    case "postgres": {
      const { host, pathname } = new URL(Redacted.value(database.url))
      return `PostgreSQL at ${host}${pathname}`
    }
  }
}

/** A database by its address. */
export const database: Parse<DatabaseSetting> = (text) => {
  if (text === "memory:") return Result.succeed({ kind: "memory" })
  if (/^postgres(?:ql)?:\/\/\S/.test(text) && URL.canParse(text))
    return Result.succeed({ kind: "postgres", url: Redacted.make(text) })
  if (text === "sqlite::memory:") return Result.fail("give memory: for sessions in memory")
  const filename = /^sqlite:(?:\/\/)?(.+)$/.exec(text)?.[1]
  return filename === undefined
    ? Result.fail(
        `"${text.split(":")[0]}:…" is no database; give sqlite:PATH such as sqlite:./data/aap.db, postgres://USER:PASSWORD@HOST:PORT/NAME (with %40 for an @ in the password), or memory:`
      )
    : Result.succeed({ kind: "sqlite", filename })
}
