import * as Closing from "../history/Closing.ts"
import * as CompactedHistory from "../history/CompactedHistory.ts"
import type { HistoryEntry } from "../history/HistoryEntry.ts"
import type { PendingCall } from "../history/PendingCall.ts"
import * as Slot from "../history/Slot.ts"
import * as KeyedTurn from "./KeyedTurn.ts"
import type { Session } from "./Session.ts"
import type { Acceptance, Commit } from "./SessionStore.ts"

/** A call without a result; one that the server runs keeps the position in the history where its result will stand. */
export interface KeptCall extends PendingCall {
  readonly position?: number
}

/**
 * What a store keeps of a session besides its entries. `next` is the position that the next entry takes. The lease is
 * held until `expiresAt`, in milliseconds of the store's clock; 0 is "not held". `commits` counts what was written under
 * the lease that was given last. `touchedAt` is when the last turn was accepted, or the session created.
 */
export interface SessionRecord {
  readonly session: Omit<Session, "pending">
  readonly pending: ReadonlyArray<KeptCall>
  readonly next: number
  readonly fence: number
  readonly commits: number
  readonly expiresAt: number
  readonly touchedAt: number
  /** What the model is not fed any more. */
  readonly cut: CompactedHistory.Cut
  /** The last turns that were begun under a key. */
  readonly turns: ReadonlyArray<KeyedTurn.KeyedTurn>
}

/** An entry and its place. */
export interface Row {
  readonly position: number
  readonly entry: HistoryEntry
}

/** A record as it shall be, and the rows to write with it. */
export interface Change {
  readonly record: SessionRecord
  readonly rows: ReadonlyArray<Row>
}

/** The session that a record is of. */
export const toSession = ({ pending, session }: SessionRecord): Session => ({
  ...session,
  pending: pending.map(({ position: _, ...call }) => call)
})

/** A new session with its seeded history. */
export const create = (
  { pending, ...session }: Session,
  history: ReadonlyArray<HistoryEntry>,
  touchedAt: number
): Change => ({
  record: {
    session,
    pending,
    next: history.length,
    fence: 0,
    commits: 0,
    expiresAt: 0,
    touchedAt,
    cut: CompactedHistory.uncut,
    turns: []
  },
  rows: history.map((entry, position) => ({ position, entry }))
})

const append = (record: SessionRecord, slots: ReadonlyArray<Slot.Slot>): Change => {
  const placed = slots.map((slot, index) => ({ slot, position: record.next + index }))
  return {
    record: {
      ...record,
      next: record.next + slots.length,
      pending: [
        ...record.pending,
        ...placed.flatMap(({ position, slot }) => (slot._tag === "Running" ? [{ ...slot.call, position }] : []))
      ]
    },
    rows: placed.flatMap(({ position, slot }) => (slot._tag === "Entry" ? [{ position, entry: slot.entry }] : []))
  }
}

const settle = (record: SessionRecord, result: HistoryEntry): Change => {
  const id = result.message.role === "tool" ? result.message.toolCallId : undefined
  const call = record.pending.find(({ call }) => call.toolCallId === id)
  if (call === undefined) throw new Error(`no pending call has the id ${id}`)
  const pending = record.pending.filter((other) => other !== call)
  return call.position === undefined
    ? { record: { ...record, pending, next: record.next + 1 }, rows: [{ position: record.next, entry: result }] }
    : { record: { ...record, pending }, rows: [{ position: call.position, entry: result }] }
}

const settleAll = (change: Change, results: ReadonlyArray<HistoryEntry>): Change =>
  results.reduce(({ record, rows }, result) => {
    const next = settle(record, result)
    return { record: next.record, rows: [...rows, ...next.rows] }
  }, change)

const closeRunning = (change: Change): Change =>
  settleAll(
    change,
    change.record.pending.flatMap(({ call, position }) =>
      position === undefined ? [] : [Closing.close(call, "unknown")]
    )
  )

/** Whether nobody holds the session any more. */
export const isFree = (record: SessionRecord, now: number): boolean => record.expiresAt <= now

/**
 * Closes the calls that were running when the session was last held, and takes the fence away from who held it:
 * `undefined` where there is nothing to close, or the session is still held.
 */
export const recover = (record: SessionRecord, now: number): Change | undefined => {
  if (!isFree(record, now) || record.pending.every(({ position }) => position === undefined)) return undefined
  const turns = KeyedTurn.end(record.turns, record.next, "error")
  return closeRunning({ record: { ...record, turns, fence: record.fence + 1, expiresAt: 0 }, rows: [] })
}

/**
 * Takes the lease of a free session and writes what a turn brings. Its open calls count as answered.
 */
export const accept = (record: SessionRecord, acceptance: Acceptance, now: number, leaseMillis: number): Change => {
  const { pending: _, ...session } = acceptance.session
  const taken = { fence: record.fence + 1, commits: 0, expiresAt: now + leaseMillis, touchedAt: now }
  const { keyed, told = [] } = acceptance
  const ended = KeyedTurn.end(record.turns, record.next, "error")
  const turn = keyed && {
    ...keyed,
    at: now,
    told: acceptance.append.flatMap((slot, index) => (told.includes(slot) ? [record.next + index] : [])),
    from: record.next + acceptance.append.length
  }
  const turns = turn === undefined ? ended : KeyedTurn.add(ended, turn)
  return append({ ...record, ...taken, turns, session, pending: [] }, acceptance.append)
}

/**
 * Writes a part of a turn: what it appends, then what it settles.
 *
 * 1. A result stands in the place that was kept for its call, or at the end where none was; one of no pending call is a
 *    bug, and thrown.
 * 2. A released session has no running call.
 */
export const commit = (
  record: SessionRecord,
  { append: slots = [], cut = record.cut, open = [], release, settle = [], stopReason = "error" }: Commit
): Change => {
  const appended = append({ ...record, cut, commits: record.commits + 1 }, slots)
  const opened = { ...appended.record, pending: [...appended.record.pending, ...open] }
  const settled = settleAll({ record: opened, rows: appended.rows }, settle)
  if (release !== true) return settled
  const turns = KeyedTurn.end(settled.record.turns, settled.record.next, stopReason)
  return closeRunning({ ...settled, record: { ...settled.record, turns, expiresAt: 0 } })
}

/** Rows in order of position as places, with the places of running calls among them. */
const toSlots = (record: SessionRecord, rows: ReadonlyArray<Row>): ReadonlyArray<Slot.Slot> => {
  // A reader without a lock may see a result whose call was still running when it read the record.
  const settled = new Set(rows.map(({ position }) => position))
  const kept = record.pending.flatMap(({ position, ...call }) =>
    position === undefined || settled.has(position) ? [] : [{ position, slot: Slot.running(call) }]
  )
  const taken = rows.map(({ entry, position }) => ({ position, slot: Slot.entry(entry) }))
  return kept.length === 0
    ? taken.map(({ slot }) => slot)
    : [...taken, ...kept].sort((a, b) => a.position - b.position).map(({ slot }) => slot)
}

/** The history as far as the model is fed it, from the rows that its cut leaves. */
export const toHistory = (record: SessionRecord, rows: ReadonlyArray<Row>): CompactedHistory.CompactedHistory => {
  const { cut } = record
  const first = rows.findIndex(({ position }) => position >= cut.from)
  const before = first === -1 ? rows.length : first
  return {
    cut,
    kept: rows.slice(0, before).map(({ entry }) => entry),
    tail: toSlots(record, rows.slice(before))
  }
}

/** Whether a commit under this fence was written already, by its number; so it was also where it gave the lease back. */
export const isWritten = (record: SessionRecord, fence: number, { number }: Commit): boolean =>
  record.fence === fence && number !== undefined && number < record.commits

/** Whether nothing was written between two readings of a session. */
export const isSame = (one: SessionRecord, other: SessionRecord): boolean =>
  one.fence === other.fence && one.commits === other.commits

/** Whether the holder of this fence still holds the session: its lease has not lapsed, and no other was given. */
export const holds = (record: SessionRecord, fence: number, now: number): boolean =>
  record.fence === fence && !isFree(record, now)
