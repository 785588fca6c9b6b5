import type { Effect } from "effect"
import type { SessionId } from "../protocol/Session.ts"
import type { RequestKey } from "./KeyedTurn.ts"
import type { Principal } from "./Session.ts"
import type { Change, Row, SessionRecord } from "./SessionRecord.ts"
import type { Lease, StoreError } from "./SessionStore.ts"

/** A stored session and whose it is. `sequence` grows with each new session, whoever makes it. */
export interface StoredSession {
  readonly owner: Principal
  readonly sequence: number
  readonly record: SessionRecord
}

/** A session that was made under a key, and when. */
export interface CreatedSession {
  readonly id: SessionId
  readonly fingerprint: string
  readonly at: number
}

/** A part of a history: the entries from the position `from` on, and those at the positions `kept`, which stand before it. */
export interface HistoryPart {
  readonly from: number
  readonly kept: ReadonlyArray<number>
}

/**
 * What a technology must do for the session store: keep records and rows, and make several reads and writes one. The
 * rules are not its business; they stand in `SessionRecord.ts`, once for all technologies.
 */
export interface SessionTable {
  /** Runs reads and writes as one transaction that sees no other's half: all of it, or nothing on any failure. */
  readonly transaction: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E | StoreError>
  /** Whether the table can be read. */
  readonly ping: Effect.Effect<void, StoreError>
  /** Milliseconds of the clock that rules the leases. */
  readonly now: Effect.Effect<number, StoreError>
  /** A session; `lock` where the transaction means to write it, so that no other can until this one is over. */
  readonly find: (id: SessionId, lock: boolean) => Effect.Effect<StoredSession | undefined, StoreError>
  /** Adds a session, made at a time under a key; the key must be free. */
  readonly insert: (
    owner: Principal,
    change: Change,
    creation: { readonly at: number; readonly keyed: RequestKey | undefined }
  ) => Effect.Effect<void, StoreError>
  /** The session that an owner made under a key. */
  readonly created: (owner: Principal, key: string) => Effect.Effect<CreatedSession | undefined, StoreError>
  /** Frees the key of a session. */
  readonly forgetKey: (id: SessionId) => Effect.Effect<void, StoreError>
  readonly write: (change: Change) => Effect.Effect<void, StoreError>
  /**
   * Makes those of the leases that hold their session now last until a time, but for sessions that another transaction has
   * locked: it waits for none. Gives all that hold their session, renewed or not.
   */
  readonly renew: (
    leases: ReadonlyArray<Lease>,
    now: number,
    until: number
  ) => Effect.Effect<ReadonlyArray<Lease>, StoreError>
  /** Rows of a session, in order of position: all, or those from a position on and those at some before it. */
  readonly rows: (id: SessionId, part?: HistoryPart) => Effect.Effect<ReadonlyArray<Row>, StoreError>
  readonly remove: (id: SessionId) => Effect.Effect<void, StoreError>
  /** Removes up to so many sessions that were last touched before a time and that nobody holds now; how many. */
  readonly expire: (before: number, now: number, limit: number) => Effect.Effect<number, StoreError>
  /** The owner's sessions with a sequence below `before`, the latest first. */
  readonly page: (
    owner: Principal,
    before: number | undefined,
    limit: number
  ) => Effect.Effect<ReadonlyArray<StoredSession>, StoreError>
  /**
   * Lets no other transaction that takes it for this owner go on until this one is over, so that what this one counts stays
   * true until it has written. A transaction takes it for one owner, and before it locks any session: then no two wait for
   * each other, since whoever has a session locked asks for no owner any more.
   */
  readonly lockOwner: (owner: Principal) => Effect.Effect<void, StoreError>
  /** How many sessions the owner has; beyond `atMost` nobody need count. */
  readonly countSessions: (owner: Principal, atMost: number) => Effect.Effect<number, StoreError>
  /** How many of the owner's sessions are held now; beyond `atMost` nobody need count. */
  readonly countHeld: (owner: Principal, now: number, atMost: number) => Effect.Effect<number, StoreError>
}
