import { Effect, Layer, Metric } from "effect"
import * as SafeSpan from "../telemetry/SafeSpan.ts"
import * as Seconds from "../telemetry/Seconds.ts"
import { LeaseLost, SessionStore, StoreError, TurnInProgress } from "./SessionStore.ts"

/** How long the store's operations take, by `aap.store.operation`. */
export const duration = Seconds.histogram(
  "aap.store.duration",
  "Time that an operation of the session store took",
  [0.0001, 0.0005, 0.001, 0.005]
)

/** Sessions that another turn held, by `error.type`: `turn_in_progress` where one is refused, `lease_lost` where one is cut off. */
export const leaseConflicts = Metric.counter("aap.lease.conflicts", {
  description: "Sessions that another turn held",
  incremental: true,
  attributes: { unit: "{conflict}" }
})

/** Refusals are answers; what the lease and the database do is not. */
const typeOf = (error: unknown): string | undefined => {
  if (error instanceof StoreError) return "store_unavailable"
  if (error instanceof LeaseLost) return "lease_lost"
  return error instanceof TurnInProgress ? "turn_in_progress" : undefined
}

const conflict = (error: unknown) => {
  const reason = typeOf(error)
  return reason === "lease_lost" || reason === "turn_in_progress"
    ? Metric.update(Metric.withAttributes(leaseConflicts, { "error.type": reason }), 1)
    : Effect.void
}

const measured =
  (operation: string) =>
  <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.gen(function* () {
      const startedAt = yield* Seconds.now
      return yield* effect.pipe(
        // Statements would be spans of their own, and a driver's error may quote what it was given.
        Effect.withTracerEnabled(false),
        Effect.tapError(conflict),
        Effect.ensuring(
          Effect.flatMap(Seconds.now, (now) =>
            Metric.update(
              Metric.withAttributes(duration, { "aap.store.operation": operation }),
              Seconds.between(startedAt, now)
            )
          )
        )
      )
    }).pipe(SafeSpan.within<E>(`store ${operation}`, { "aap.store.operation": operation }, typeOf))

/**
 * A session store as it is, each of whose operations has a span and moves the metrics. Whichever store it is, it is
 * measured here.
 */
export const make = (store: SessionStore["Service"]): SessionStore["Service"] => ({
  leaseDuration: store.leaseDuration,
  ping: measured("ping")(store.ping),
  create: (...args) => measured("create")(store.create(...args)),
  get: (...args) => measured("get")(store.get(...args)),
  list: (...args) => measured("list")(store.list(...args)),
  remove: (...args) => measured("remove")(store.remove(...args)),
  history: (...args) => measured("history")(store.history(...args)),
  compacted: (...args) => measured("compacted")(store.compacted(...args)),
  accept: (...args) => measured("accept")(store.accept(...args)),
  remembered: (...args) => measured("remembered")(store.remembered(...args)),
  commit: (...args) => measured("commit")(store.commit(...args)),
  expire: (...args) => measured("expire")(store.expire(...args)),
  renew: (...args) => measured("renew")(store.renew(...args))
})

/** The session store that is there, measured. */
export const layer: Layer.Layer<SessionStore, never, SessionStore> = Layer.effect(
  SessionStore,
  Effect.map(SessionStore, make)
)
