import { Clock, Effect, Layer, Semaphore } from "effect"
import type { SessionId } from "../protocol/Session.ts"
import { SecretBox } from "./SecretBox.ts"
import type { Principal } from "./Session.ts"
import * as SessionRecord from "./SessionRecord.ts"
import { SessionStore } from "./SessionStore.ts"
import type { CreatedSession, SessionTable, StoredSession } from "./SessionTable.ts"
import * as TableSessionStore from "./TableSessionStore.ts"

interface Kept extends StoredSession {
  readonly rows: Map<number, SessionRecord.Row>
}

/** A table in memory. Each operation writes once, at its end, so a permit is all that a transaction needs. */
const makeTable: Effect.Effect<SessionTable> = Effect.gen(function* () {
  const permit = yield* Semaphore.make(1)
  const sessions = new Map<SessionId, Kept>()
  const creations = new Map<SessionId, CreatedSession & { readonly owner: Principal; readonly key: string }>()
  let sequence = 0
  const keep = (kept: Kept, rows: ReadonlyArray<SessionRecord.Row>) => {
    for (const row of rows) kept.rows.set(row.position, row)
    sessions.set(kept.record.session.id, kept)
  }
  const count = (isCounted: (kept: Kept) => boolean) =>
    Effect.sync(() => [...sessions.values()].filter(isCounted).length)
  return {
    transaction: (effect) => permit.withPermit(effect),
    ping: Effect.void,
    now: Clock.currentTimeMillis,
    find: (id, _lock) => Effect.sync(() => sessions.get(id)),
    insert: (owner, { record, rows }, { at, keyed }) =>
      Effect.sync(() => {
        keep({ owner, sequence: ++sequence, record, rows: new Map() }, rows)
        const { id } = record.session
        if (keyed !== undefined) creations.set(id, { id, owner, key: keyed.key, fingerprint: keyed.fingerprint, at })
      }),
    created: (owner, key) =>
      Effect.sync(() =>
        [...creations.values()].find(
          (creation) => creation.owner === owner && creation.key === key && sessions.has(creation.id)
        )
      ),
    forgetKey: (id) => Effect.sync(() => void creations.delete(id)),
    write: ({ record, rows }) =>
      Effect.sync(() => {
        const kept = sessions.get(record.session.id)
        if (kept !== undefined) keep({ ...kept, record }, rows)
      }),
    renew: (leases, now, until) =>
      Effect.sync(() =>
        leases.filter(({ fence, sessionId }) => {
          const kept = sessions.get(sessionId)
          if (kept === undefined || !SessionRecord.holds(kept.record, fence, now)) return false
          keep({ ...kept, record: { ...kept.record, expiresAt: until } }, [])
          return true
        })
      ),
    rows: (id, part) =>
      Effect.sync(() => {
        const rows = [...(sessions.get(id)?.rows.values() ?? [])].sort((a, b) => a.position - b.position)
        return part === undefined
          ? rows
          : rows.filter(({ position }) => position >= part.from || part.kept.includes(position))
      }),
    remove: (id) =>
      Effect.sync(() => {
        sessions.delete(id)
        creations.delete(id)
      }),
    expire: (before, now, limit) =>
      Effect.sync(() => {
        const old = [...sessions.values()].filter(({ record }) => record.touchedAt < before && record.expiresAt <= now)
        for (const { record } of old.slice(0, limit)) {
          sessions.delete(record.session.id)
          creations.delete(record.session.id)
        }
        return Math.min(old.length, limit)
      }),
    page: (owner, before, limit) =>
      Effect.sync(() =>
        [...sessions.values()]
          .filter((kept) => kept.owner === owner && (before === undefined || kept.sequence < before))
          .sort((a, b) => b.sequence - a.sequence)
          .slice(0, limit)
      ),
    lockOwner: () => Effect.void,
    countSessions: (owner) => count((kept) => kept.owner === owner),
    countHeld: (owner, now) => count((kept) => kept.owner === owner && kept.record.expiresAt > now)
  }
})

/** Sessions in memory, gone with the process: for tests, demonstrations, and embedding where nothing need last. */
export const layer = (options?: TableSessionStore.StoreOptions): Layer.Layer<SessionStore> =>
  Layer.effect(
    SessionStore,
    Effect.gen(function* () {
      return TableSessionStore.make(yield* makeTable, yield* SecretBox, options)
    })
  ).pipe(Layer.provide(SecretBox.ephemeral))
