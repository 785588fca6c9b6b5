import { Console, DateTime, Effect, Redacted } from "effect"
import { Argument, Command } from "effect/cli"
import { type KeptKey, KeyStore } from "../session/KeyStore.ts"
import { PrincipalName } from "../session/Session.ts"
import * as ConfiguredStore from "./ConfiguredStore.ts"
import { databaseSetting } from "./Settings.ts"

/** Runs a command over the keys of the database that the environment names. What fails is told in one line. */
const overKeys = <A, E extends { readonly message: string }>(use: (keys: KeyStore) => Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const layer = ConfiguredStore.keysLayer(yield* databaseSetting)
    return yield* Effect.provide(Effect.flatMap(KeyStore, use), layer)
  }).pipe(Effect.tapError(({ message }) => Console.error(`effect-aap: ${message}`)))

const time = (millis: number): string => DateTime.formatIso(DateTime.makeUnsafe(millis))

/** The keys as lines of a table, its heads first. */
export const table = (keys: ReadonlyArray<KeptKey>): string => {
  const rows = [
    ["ID", "PRINCIPAL", "KEY", "MADE", "REVOKED"],
    ...keys.map(({ createdAt, id, prefix, principal, revokedAt }) => [
      id,
      principal,
      `${prefix}…`,
      time(createdAt),
      revokedAt === undefined ? "-" : time(revokedAt)
    ])
  ]
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}

const add = Command.make(
  "add",
  {
    name: Argument.String("name").pipe(
      Argument.withDescription("Whose key it is; a principal may have several"),
      Argument.withSchema(PrincipalName)
    )
  },
  ({ name }) =>
    overKeys(
      Effect.fnUntraced(function* (keys) {
        const { key, kept } = yield* keys.add(name)
        yield* Console.log(Redacted.value(key))
        yield* Console.error(`This is ${kept.id}, a key of ${name}. It will not be shown again: only its hash is kept.`)
      })
    )
).pipe(
  Command.withDescription("Make a key and print it, once; servers take it at once"),
  Command.withExamples([{ command: "KEY=$(effect-aap keys add alice)", description: "Keep a new key of alice" }])
)

const list = Command.make("list", {}, () =>
  overKeys(({ list }) => Effect.flatMap(list, (keys) => Console.log(table(keys))))
).pipe(Command.withDescription("Print the keys of the database, revoked ones too; never the keys themselves"))

const revoke = Command.make(
  "revoke",
  { id: Argument.String("id").pipe(Argument.withDescription("The key's id, as `keys list` prints it")) },
  ({ id }) =>
    overKeys(({ revoke }) =>
      Effect.flatMap(revoke(id), ({ isNew, kept }) =>
        Console.log(
          isNew
            ? `${id}, a key of ${kept.principal}, is revoked.`
            : `${id}, a key of ${kept.principal}, was revoked before, at ${time(kept.revokedAt ?? 0)}.`
        )
      )
    )
).pipe(Command.withDescription("End a key for good; servers refuse it at once"))

/** The commands over the keys in the database. */
export const keys = Command.make("keys").pipe(
  Command.withDescription("Keys in the database of DATABASE_URL, from which servers read them"),
  Command.withSubcommands([add, list, revoke])
)
