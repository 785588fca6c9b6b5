import { Duration, Effect, Metric, Scope } from "effect"
import * as MeasuredSessionStore from "./MeasuredSessionStore.ts"
import { type Lease, LeaseLost, type SessionStore } from "./SessionStore.ts"

/** Keeps leases from lapsing. */
export interface LeaseKeeper {
  /** Keeps a lease, until the scope ends, it is given back or it is lost. */
  readonly keep: (lease: Lease) => Effect.Effect<void, never, Scope.Scope>
  /** Keeps a lease no more: it has been given back. */
  readonly giveBack: (lease: Lease) => Effect.Effect<void>
}

const nameOf = ({ fence, sessionId }: Lease): string => `${fence} ${sessionId}`

/**
 * Renews the leases of all turns of this process together, three times in their duration: a thousand turns are a few writes,
 * not a thousand. Whatever happens to one renewal, there is a next one.
 */
export const make = Effect.fnUntraced(function* (
  store: SessionStore["Service"]
): Effect.fn.Return<LeaseKeeper, never, Scope.Scope> {
  const held = new Map<string, Lease>()

  const giveBack = (lease: Lease) => Effect.sync(() => held.delete(nameOf(lease)))

  const drop = Effect.fnUntraced(function* (lease: Lease) {
    if (!(yield* giveBack(lease))) return
    yield* Metric.update(Metric.withAttributes(MeasuredSessionStore.leaseConflicts, { "error.type": "lease_lost" }), 1)
    yield* Effect.logDebug(new LeaseLost({ id: lease.sessionId }).message)
  })

  const renew = Effect.suspend(() => store.renew([...held.values()])).pipe(
    Effect.flatMap((lost) => Effect.forEach(lost, drop, { discard: true })),
    Effect.catchCause((cause) => Effect.logWarning("the leases of turns could not be renewed", cause))
  )

  const pause = Duration.divideUnsafe(store.leaseDuration, 3)
  const round = Effect.andThen(
    Effect.sleep(pause),
    Effect.suspend(() => (held.size === 0 ? Effect.void : renew))
  )
  yield* Effect.forkScoped(Effect.forever(round))
  return {
    keep: (lease) =>
      Effect.flatMap(Effect.scope, (scope) => {
        held.set(nameOf(lease), lease)
        return Scope.addFinalizer(scope, giveBack(lease))
      }),
    giveBack: (lease) => Effect.asVoid(giveBack(lease))
  }
})
