import { Context, type Duration, type Effect, type Option, type Result, Schema } from "effect"
import type { CompactedHistory, Cut } from "../history/CompactedHistory.ts"
import type { HistoryEntry } from "../history/HistoryEntry.ts"
import type { PendingCall } from "../history/PendingCall.ts"
import type { Slot } from "../history/Slot.ts"
import { SessionId } from "../protocol/Session.ts"
import type { StopReason } from "../protocol/Turn.ts"
import type { RequestKey } from "./KeyedTurn.ts"
import type { TooManySessions, TooManyTurns } from "./Limits.ts"
import * as RootCause from "../protocol/RootCause.ts"
import type { Principal, Session } from "./Session.ts"

/** No such session, or it is another principal's: nobody can tell the two apart. */
export class SessionNotFound extends Schema.TaggedError<SessionNotFound>()("SessionNotFound", { id: SessionId }) {
  override get message() {
    return `there is no session ${this.id}`
  }
}

/** Another turn holds the session's lease. */
export class TurnInProgress extends Schema.TaggedError<TurnInProgress>()("TurnInProgress", { id: SessionId }) {
  override get message() {
    return `a turn is running on session ${this.id}; wait for its turn_stop`
  }
}

/** The request was sent before under its key: the same one, or another. Nothing was changed. */
export class RequestRepeated extends Schema.TaggedError<RequestRepeated>()("RequestRepeated", {
  key: Schema.String,
  isSame: Schema.Boolean
}) {
  override get message() {
    return `the key ${this.key} was used for another request; a new request takes a new key`
  }
}

/** The lease has lapsed or was taken over, or its session was deleted. Nothing was written. */
export class LeaseLost extends Schema.TaggedError<LeaseLost>()("LeaseLost", { id: SessionId }) {
  override get message() {
    return `the turn no longer holds session ${this.id}`
  }
}

/** What is no cursor at all. */
export class InvalidCursor extends Schema.TaggedError<InvalidCursor>()("InvalidCursor", {}) {
  override get message() {
    return "the cursor is not one that this server gave; pass `next` of the page before, unchanged"
  }
}

/** A cursor that was not made for this principal, or under no key that the store still has. */
export class CursorNotFound extends Schema.TaggedError<CursorNotFound>()("CursorNotFound", {}) {
  override get message() {
    return "there is no such cursor; pass `next` of your page before, unchanged, or begin again without one"
  }
}

/** The database failed. What was being written is not there. The message is for operators: it quotes the database. */
export class StoreError extends Schema.TaggedError<StoreError>()("StoreError", {
  operation: Schema.String,
  cause: Schema.Defect()
}) {
  override get message() {
    return `the database failed in ${this.operation}: ${RootCause.message(this.cause)}`
  }
}

/** The right to write to one session: `fence` grows with each taking, so an older holder can be told and refused. */
export interface Lease {
  readonly sessionId: SessionId
  readonly fence: number
}

/** What an accepted turn writes first. The session's open calls are all answered by it. */
export interface Acceptance {
  /** The session as the turn's overrides leave it; `pending` is ignored. */
  readonly session: Session
  /** Answers and denials, places for granted calls, then what the user said. */
  readonly append: ReadonlyArray<Slot>
  /** Those of them that the turn tells as its own results. */
  readonly told?: ReadonlyArray<Slot>
  /** The key of the request, under which the turn is remembered. */
  readonly keyed?: RequestKey
}

/**
 * A turn that holds its session: the session as it stands now, its history with this turn's messages as far as the model
 * is fed it, and what was decided about it, as `decide` gave it.
 */
export interface AcceptedTurn<out A extends Acceptance = Acceptance> {
  readonly acceptance: A
  readonly lease: Lease
  readonly session: Session
  readonly history: CompactedHistory
}

/** One write of a running turn; all of it or nothing. */
export interface Commit {
  /**
   * Which write under this lease it is, from 0. A write with a number can be tried again where nobody knows whether it
   * came through; its writes must then all have one, and come one after the other.
   */
  readonly number?: number
  /** What the model is no longer fed. */
  readonly cut?: Cut
  /** Entries to add at the end, and places to keep for calls that the server now runs. */
  readonly append?: ReadonlyArray<Slot>
  /** Calls that now wait for the application. */
  readonly open?: ReadonlyArray<PendingCall>
  /**
   * Results (`tool` messages) of pending calls: a running call's in the place that was kept for it, an open call's at
   * the end.
   */
  readonly settle?: ReadonlyArray<HistoryEntry>
  /** Whether the turn is over and the lease is given back. */
  readonly release?: boolean
  /** Why the turn is over, where it is; `error` where nothing is said. */
  readonly stopReason?: StopReason
}

/** What is known of a turn by its key. */
export type RememberedTurn =
  | { readonly _tag: "Running" }
  | { readonly _tag: "Ended"; readonly stopReason: StopReason; readonly entries: ReadonlyArray<HistoryEntry> }

/** A page of a list. `next` is absent on the last one. */
export interface Page {
  readonly sessions: ReadonlyArray<Session>
  readonly next?: string
}

/**
 * Where sessions live. Invariants, held by every Layer (one contract suite):
 *
 * 1. What a call of this service has answered is stored, also after the process dies.
 * 2. A session of another principal does not exist.
 * 3. At most one lease a session; a commit with any other fence, or after its time, writes nothing and fails with
 *    `LeaseLost`.
 * 4. A refused `accept` changes nothing. A commit that is tried again under its number is written once.
 * 5. A call that was running when its lease lapsed is closed with {@link ../history/Closing.ts unknown outcome} before
 *    anybody reads the session or its history.
 * 6. No principal ever has more sessions, or holds more of them, than the limits allow, whichever servers it asks.
 */
export class SessionStore extends Context.Service<
  SessionStore,
  {
    /** How long a lease lasts unless it is renewed. */
    readonly leaseDuration: Duration.Duration

    /** Whether the database answers: it reads nothing of anybody. */
    readonly ping: Effect.Effect<void, StoreError>

    /**
     * Stores a new session with its seeded history, and gives its id; or that of the session that was stored for the same
     * request, by its key, less than a day ago, whatever the limit of sessions.
     */
    readonly create: (
      owner: Principal,
      session: Session,
      history: ReadonlyArray<HistoryEntry>,
      keyed?: RequestKey
    ) => Effect.Effect<SessionId, RequestRepeated | TooManySessions | StoreError>

    readonly get: (owner: Principal, id: SessionId) => Effect.Effect<Session, SessionNotFound | StoreError>

    /** The owner's sessions, newest first. `after` is the `next` of the page before. */
    readonly list: (
      owner: Principal,
      page: { readonly after?: string; readonly limit: number }
    ) => Effect.Effect<Page, InvalidCursor | CursorNotFound | StoreError>

    /** Deletes a session and its history, at once, also while a turn runs: that turn loses its lease. */
    readonly remove: (owner: Principal, id: SessionId) => Effect.Effect<void, SessionNotFound | StoreError>

    /** The full history, in order. */
    readonly history: (
      owner: Principal,
      id: SessionId
    ) => Effect.Effect<ReadonlyArray<HistoryEntry>, SessionNotFound | StoreError>

    /** The history as the model is fed it, in order. */
    readonly compacted: (
      owner: Principal,
      id: SessionId
    ) => Effect.Effect<ReadonlyArray<HistoryEntry>, SessionNotFound | StoreError>

    /**
     * Takes the session's lease and writes what the turn brings, in one transaction. `decide` is pure; it sees the
     * session as it is under the lease, and its refusal leaves everything as it was. A request whose key is remembered
     * fails with `RequestRepeated`, also while the turn that it began runs, and counts as no turn.
     */
    readonly accept: <A extends Acceptance, E>(
      owner: Principal,
      id: SessionId,
      decide: (session: Session) => Result.Result<A, E>,
      keyed?: RequestKey
    ) => Effect.Effect<
      AcceptedTurn<A>,
      E | SessionNotFound | TurnInProgress | RequestRepeated | TooManyTurns | StoreError
    >

    /** The turn that was begun under a key, as long as it is remembered: a day, and the session's last twenty. */
    readonly remembered: (
      owner: Principal,
      id: SessionId,
      key: string
    ) => Effect.Effect<Option.Option<RememberedTurn>, SessionNotFound | StoreError>

    /** Writes one step of a turn. */
    readonly commit: (lease: Lease, commit: Commit) => Effect.Effect<void, LeaseLost | StoreError>

    /** Removes the sessions, of anybody, that no turn was accepted on for so long and that none runs on; how many. */
    readonly expire: (age: Duration.Input) => Effect.Effect<number, StoreError>

    /**
     * Makes the leases that still hold their sessions last `leaseDuration` from now, and gives those that do not. One whose
     * session is being written may be left as it is: it is neither renewed nor lost.
     */
    readonly renew: (leases: ReadonlyArray<Lease>) => Effect.Effect<ReadonlyArray<Lease>, StoreError>
  }
>()("effect-aap/SessionStore") {}
