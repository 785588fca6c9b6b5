import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { CannotOpen, type SecretBox } from "./SecretBox.ts"

/** What a key is recognised by in the database: a digest that only who has the key can make. */
const mark = ["", "the keys that this database was written with"] as const

/**
 * Refuses a key that the database was never written with: a server that had none of its keys would take every session for
 * one that cannot be read. A new key that stands before an old one is known from then on.
 */
export const check = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  box: SecretBox["Service"]
): Effect.fn.Return<void, CannotOpen | SqlError.SqlError> {
  const digests = box.digests(...mark)
  const known = yield* sql<{ readonly digest: string }>`SELECT digest FROM secret_keys`
  if (known.length > 0 && !known.some(({ digest }) => digests.includes(digest))) return yield* new CannotOpen()
  yield* sql`INSERT INTO secret_keys ${sql.insert({ digest: digests[0] })} ON CONFLICT DO NOTHING`
})
