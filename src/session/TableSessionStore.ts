import { Duration, Effect, Option, Result } from "effect"
import * as Arr from "effect/Array"
import * as CompactedHistory from "../history/CompactedHistory.ts"
import type { HistoryEntry } from "../history/HistoryEntry.ts"
import type { SessionId } from "../protocol/Session.ts"
import * as Cursor from "./Cursor.ts"
import * as KeyedTurn from "./KeyedTurn.ts"
import { checkSessions, checkTurns, type Limits } from "./Limits.ts"
import type { SecretBox } from "./SecretBox.ts"
import type { Principal, Session } from "./Session.ts"
import * as SessionRecord from "./SessionRecord.ts"
import {
  type Acceptance,
  type Commit,
  type Lease,
  LeaseLost,
  type RememberedTurn,
  RequestRepeated,
  SessionNotFound,
  type SessionStore,
  TurnInProgress
} from "./SessionStore.ts"
import type { SessionTable, StoredSession } from "./SessionTable.ts"

/** What every Layer of the store takes. */
export interface StoreOptions {
  /** How long a lease lasts unless it is renewed; thirty seconds by default. */
  readonly leaseDuration?: Duration.Input
  /** What one principal may have at a time; no limits by default. */
  readonly limits?: Limits
}

/** A session's record, and the rows that were read with it. */
interface ReadAhead {
  readonly record: SessionRecord.SessionRecord
  readonly rows: ReadonlyArray<SessionRecord.Row>
}

/** How many sessions expire in one transaction, so that nobody waits long. */
const expiryBatch = 100

/** How many leases are renewed in one transaction, so that nobody waits long. */
const renewalBatch = 200

/** The session store over a table: the contract's rules, each operation one transaction. */
export const make = (
  table: SessionTable,
  box: SecretBox["Service"],
  options: StoreOptions = {}
): SessionStore["Service"] => {
  const leaseDuration = Duration.fromInputUnsafe(options.leaseDuration ?? "30 seconds")
  const { limits = {} } = options

  const transaction = <A, E>(effect: Effect.Effect<A, E>) => Effect.uninterruptible(table.transaction(effect))

  /** A session, and the one moment that an operation on it judges it by. */
  const owned = Effect.fnUntraced(function* (owner: Principal, id: SessionId, lock: boolean) {
    const stored = yield* table.find(id, lock)
    if (stored === undefined || stored.owner !== owner) return yield* new SessionNotFound({ id })
    const now = yield* table.now
    return { record: stored.record, now, recovered: SessionRecord.recover(stored.record, now) }
  })

  /** The session under the transaction's lock, what a dead turn left of it closed. */
  const find = Effect.fnUntraced(function* (owner: Principal, id: SessionId) {
    const { now, record, recovered } = yield* owned(owner, id, true)
    if (recovered === undefined) return { now, record }
    yield* table.write(recovered)
    return { now, record: recovered.record }
  })

  /** The session as it is. Nothing is written, and nobody waits, unless a dead turn left something to close. */
  const read = Effect.fnUntraced(function* (owner: Principal, id: SessionId) {
    const { record, recovered } = yield* owned(owner, id, false)
    return recovered === undefined ? record : (yield* transaction(find(owner, id))).record
  })

  /** The session, if it is held by this lease. */
  const judge = Effect.fnUntraced(function* (stored: StoredSession | undefined, lease: Lease) {
    const now = yield* table.now
    if (stored !== undefined && SessionRecord.holds(stored.record, lease.fence, now)) return stored.record
    return yield* new LeaseLost({ id: lease.sessionId })
  })

  const commit = Effect.fnUntraced(function* (lease: Lease, commit: Commit) {
    const stored = yield* table.find(lease.sessionId, true)
    if (stored !== undefined && SessionRecord.isWritten(stored.record, lease.fence, commit)) return
    yield* table.write(SessionRecord.commit(yield* judge(stored, lease), commit))
  })

  const renew = Effect.fnUntraced(function* (leases: ReadonlyArray<Lease>) {
    const now = yield* table.now
    const held = yield* table.renew(leases, now, now + Duration.toMillis(leaseDuration))
    const name = ({ fence, sessionId }: Lease) => `${fence} ${sessionId}`
    const names = new Set(held.map(name))
    return leases.filter((lease) => !names.has(name(lease)))
  })

  /** Whether the owner, who is locked, may have one more turn. */
  const oneMoreTurn = Effect.fnUntraced(function* (owner: Principal, now: number) {
    if (limits.turns === undefined) return Result.void
    return checkTurns(limits.turns, yield* table.countHeld(owner, now, limits.turns))
  })

  /**
   * A keyed request as it is stored, and what tells whether a stored one is the same. A plain fingerprint would let whoever
   * reads a backup try what a body with a weak secret was.
   */
  const remember = ({ fingerprint, key }: KeyedTurn.RequestKey, to: Principal | SessionId) => {
    const fingerprints = box.digests(fingerprint, `${key} ${to}`)
    return {
      keyed: { key, fingerprint: fingerprints[0] },
      isSame: ({ fingerprint }: { readonly fingerprint: string }) => fingerprints.includes(fingerprint)
    }
  }

  const create = Effect.fnUntraced(function* (
    owner: Principal,
    session: Session,
    history: ReadonlyArray<HistoryEntry>,
    keyed: KeyedTurn.RequestKey | undefined
  ) {
    if (limits.sessions !== undefined) yield* table.lockOwner(owner)
    const now = yield* table.now
    const request = keyed && remember(keyed, owner)
    const known = request && (yield* table.created(owner, request.keyed.key))
    if (request !== undefined && known !== undefined && now - known.at < KeyedTurn.memory) {
      if (request.isSame(known)) return known.id
      return yield* new RequestRepeated({ key: request.keyed.key, isSame: false })
    }
    if (limits.sessions !== undefined) {
      yield* Effect.fromResult(checkSessions(limits.sessions, yield* table.countSessions(owner, limits.sessions)))
    }
    if (known !== undefined) yield* table.forgetKey(known.id)
    yield* table.insert(owner, SessionRecord.create(session, history, now), { at: now, keyed: request?.keyed })
    return session.id
  })

  /** Reads a free session's history before anything is locked: it may be long, and others of its owner wait for the lock. */
  const readAhead = Effect.fnUntraced(function* (owner: Principal, id: SessionId) {
    const stored = yield* table.find(id, false)
    if (stored === undefined || stored.owner !== owner || stored.record.expiresAt > 0) return undefined
    return { record: stored.record, rows: yield* table.rows(id, stored.record.cut) }
  })

  const accept = Effect.fnUntraced(function* <A extends Acceptance, E>(
    owner: Principal,
    id: SessionId,
    decide: (session: Session) => Result.Result<A, E>,
    keyed: KeyedTurn.RequestKey | undefined,
    ahead: ReadAhead | undefined
  ) {
    if (limits.turns !== undefined) yield* table.lockOwner(owner)
    const { now, record } = yield* find(owner, id)
    const request = keyed && remember(keyed, id)
    const known = request && KeyedTurn.find(record.turns, request.keyed.key, now)
    if (request !== undefined && known !== undefined) {
      return yield* new RequestRepeated({ key: request.keyed.key, isSame: request.isSame(known) })
    }
    if (!SessionRecord.isFree(record, now)) return yield* new TurnInProgress({ id })
    const acceptance = yield* Effect.fromResult(decide(SessionRecord.toSession(record)))
    // Last of all, since a request that is wrong is wrong at any time.
    yield* Effect.fromResult(yield* oneMoreTurn(owner, now))
    const remembered = request === undefined ? acceptance : { ...acceptance, keyed: request.keyed }
    const change = SessionRecord.accept(record, remembered, now, Duration.toMillis(leaseDuration))
    yield* table.write(change)
    const rows =
      ahead !== undefined && SessionRecord.isSame(ahead.record, record)
        ? [...ahead.rows, ...change.rows]
        : yield* table.rows(id, record.cut)
    return {
      acceptance,
      lease: { sessionId: id, fence: change.record.fence },
      session: SessionRecord.toSession(change.record),
      history: SessionRecord.toHistory(change.record, rows)
    }
  })

  return {
    leaseDuration,
    ping: table.ping,
    create: (owner, session, history, keyed) =>
      // Two servers may find a key free at the same time; the one that comes second finds it taken at its next try.
      transaction(create(owner, session, history, keyed)).pipe(
        Effect.retry({ times: keyed === undefined ? 0 : 1, while: (error) => error._tag === "StoreError" })
      ),
    get: (owner, id) => Effect.map(read(owner, id), SessionRecord.toSession),
    list: Effect.fnUntraced(function* (owner, { after, limit }) {
      const before = after === undefined ? undefined : yield* Effect.fromResult(Cursor.decode(box, owner, after))
      const found = yield* table.page(owner, before, limit + 1)
      const shown = found.slice(0, limit)
      const last = shown.at(-1)
      return {
        sessions: shown.map(({ record }) => SessionRecord.toSession(record)),
        ...(found.length > limit && last !== undefined ? { next: Cursor.encode(box, owner, last.sequence) } : {})
      }
    }),
    remove: (owner, id) => transaction(Effect.andThen(find(owner, id), table.remove(id))),
    history: (owner, id) =>
      Effect.andThen(
        read(owner, id),
        Effect.map(table.rows(id), (rows) => rows.map((row) => row.entry))
      ),
    compacted: Effect.fnUntraced(function* (owner, id) {
      const record = yield* read(owner, id)
      return CompactedHistory.entries(SessionRecord.toHistory(record, yield* table.rows(id, record.cut)))
    }),
    accept: (owner, id, decide, keyed) =>
      Effect.flatMap(limits.turns === undefined ? Effect.undefined : readAhead(owner, id), (ahead) =>
        transaction(accept(owner, id, decide, keyed, ahead))
      ),
    remembered: Effect.fnUntraced(function* (owner, id, key) {
      const record = yield* read(owner, id)
      const now = yield* table.now
      const turn = KeyedTurn.find(record.turns, key, now)
      if (turn === undefined) return Option.none<RememberedTurn>()
      if (turn.to === undefined && !SessionRecord.isFree(record, now)) return Option.some({ _tag: "Running" } as const)
      const part = { from: turn.from, kept: turn.told }
      const rows = (yield* table.rows(id, part)).filter(({ position }) => KeyedTurn.tells(turn, position))
      const entries = rows.map(({ entry }) => entry)
      return Option.some({ _tag: "Ended", stopReason: turn.stopReason ?? "error", entries } as const)
    }),
    expire: Effect.fnUntraced(function* (age) {
      let total = 0
      for (;;) {
        const now = yield* table.now
        const before = now - Duration.toMillis(Duration.fromInputUnsafe(age))
        const count = yield* transaction(table.expire(before, now, expiryBatch))
        total += count
        if (count < expiryBatch) return total
      }
    }),
    commit: (lease, change) => transaction(commit(lease, change)),
    renew: (leases) =>
      Effect.map(
        Effect.forEach(Arr.chunksOf(leases, renewalBatch), (batch) => transaction(renew(batch))),
        (lost) => lost.flat()
      )
  }
}
