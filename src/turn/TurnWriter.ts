import { Effect, Schedule, Semaphore } from "effect"
import type { Commit, Lease, LeaseLost, SessionStore, StoreError } from "../session/SessionStore.ts"

/** Writes what a turn does, one write after the other. */
export interface TurnWriter {
  /** Writes, and then does what follows from it having been written. */
  readonly write: (commit: Commit, written: () => void) => Effect.Effect<void, LeaseLost | StoreError>
  /** Finds out whether the last write that failed came through, by trying it again; nothing where none failed. */
  readonly settleUnsure: Effect.Effect<void, LeaseLost | StoreError>
}

/** A database that is away for a moment (restarted, failed over) is waited for, about six seconds in all. */
const patience = Schedule.exponential("200 millis").pipe(Schedule.upTo({ times: 5 }))

/**
 * The writes of one turn.
 *
 * 1. Each is written once, though it is tried again: a write that failed may have come through unseen, so its number goes
 *    with it, and it is settled before the next.
 * 2. A write is not interrupted, and what follows from it is done exactly when it is known to be stored.
 * 3. After one that failed for good none is tried, until that one is settled.
 */
export const make = (store: SessionStore["Service"], lease: Lease): TurnWriter => {
  let one: Semaphore.Semaphore | undefined
  let number = 0
  let failure: Effect.Effect<never, LeaseLost | StoreError> | undefined
  let unsure: { readonly commit: Commit; readonly written: () => void } | undefined

  const attempt = (commit: Commit, written: () => void): Effect.Effect<void, LeaseLost | StoreError> =>
    Effect.suspend(() => {
      unsure = { commit, written }
      return store.commit(lease, { ...commit, number })
    }).pipe(
      Effect.retry({ schedule: patience, while: (error) => error._tag === "StoreError" }),
      Effect.andThen(
        Effect.sync(() => {
          number++
          unsure = undefined
          written()
        })
      ),
      Effect.tapError((error) =>
        Effect.sync(() => {
          failure = Effect.fail(error)
        })
      )
    )

  /** Runs when nothing else is written. While a turn's first step is heard there is nothing to write, and no semaphore. */
  const alone = (next: () => Effect.Effect<void, LeaseLost | StoreError>) =>
    Effect.suspend(() => {
      one ??= Semaphore.makeUnsafe(1)
      return one.withPermit(Effect.suspend(next))
    }).pipe(Effect.uninterruptible)

  const settle = () => {
    failure = undefined
    return unsure === undefined ? Effect.void : attempt(unsure.commit, unsure.written)
  }

  return {
    write: (commit, written) => alone(() => failure ?? attempt(commit, written)),
    settleUnsure: Effect.suspend(() => alone(settle))
  }
}
