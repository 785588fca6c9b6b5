import { Duration, Effect, type Scope } from "effect"
import { type Lease, LeaseLost, type SessionStore } from "./SessionStore.ts"

/** Keeps leases from lapsing. */
export interface LeaseKeeper {
  /** Keeps a lease, until the scope ends or it is lost. */
  readonly keep: (lease: Lease) => Effect.Effect<void, never, Scope.Scope>
}

/**
 * Renews the leases of all turns of this process at once, three times in their duration: a thousand turns are one write, not
 * a thousand. A store that fails is asked again the next time.
 */
export const make = Effect.fnUntraced(function* (
  store: SessionStore["Service"]
): Effect.fn.Return<LeaseKeeper, never, Scope.Scope> {
  const held = new Set<Lease>()

  const drop = (lease: Lease) =>
    Effect.suspend(() =>
      held.delete(lease) ? Effect.logDebug(new LeaseLost({ id: lease.sessionId }).message) : Effect.void
    )

  const renew = Effect.suspend(() => (held.size === 0 ? Effect.succeed([]) : store.renew([...held]))).pipe(
    Effect.flatMap((lost) => Effect.forEach(lost, drop, { discard: true })),
    Effect.catch((error) => Effect.logWarning("the leases of turns could not be renewed", error))
  )

  const pause = Duration.divideUnsafe(store.leaseDuration, 3)
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(pause), renew)))
  return {
    keep: (lease) =>
      Effect.asVoid(
        Effect.acquireRelease(
          Effect.sync(() => held.add(lease)),
          () => Effect.sync(() => held.delete(lease))
        )
      )
  }
})
