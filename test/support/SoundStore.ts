import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import * as Pairing from "../../src/history/Pairing.ts"
import type { HistoryMessage } from "../../src/protocol/Message.ts"

interface SessionColumns {
  readonly pending: string
  readonly next_position: number | bigint
  readonly lease_expires_at: number | bigint
}

interface Pending {
  readonly call: { readonly toolCallId: string }
  readonly position?: number
}

/**
 * Reads a session's rows as they stand, past the store, and holds them to what must be true at any time: places are taken
 * once and in order, a call has its result or is pending, and nothing else is pending.
 */
export const soundRows = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<SessionColumns>`SELECT * FROM sessions WHERE id = ${id}`
  const rows = yield* sql<{ readonly position: number | bigint; readonly entry: string }>`
    SELECT position, entry FROM history WHERE session_id = ${id} ORDER BY position
  `
  const pending = JSON.parse(row?.pending ?? "") as ReadonlyArray<Pending>
  const messages = rows.map(({ entry }) => (JSON.parse(entry) as { readonly message: HistoryMessage }).message)
  const kept = pending.flatMap(({ position }) => (position === undefined ? [] : [position]))
  const places = [...rows.map(({ position }) => Number(position)), ...kept].sort((a, b) => a - b)
  assert.deepStrictEqual(
    places,
    places.map((_, index) => index)
  )
  assert.strictEqual(Number(row?.next_position), places.length)
  const open = Pairing.openCalls(messages)
  assert.isTrue(Result.isSuccess(open), JSON.stringify(messages))
  assert.sameMembers(
    Result.getOrThrow(open).map(({ toolCallId }) => toolCallId),
    pending.map(({ call }) => call.toolCallId)
  )
  return { messages, pending, leaseExpiresAt: Number(row?.lease_expires_at) }
})
