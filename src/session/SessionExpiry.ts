import { Duration, Effect, Layer, Schedule } from "effect"
import { SessionStore } from "./SessionStore.ts"

/** How often old sessions are looked for, whatever their age. */
const interval = Duration.minutes(10)

/**
 * Removes the sessions on which no turn was accepted for so long, as long as it runs. A database that fails is tried again
 * the next time.
 */
export const layer = (age: Duration.Input): Layer.Layer<never, never, SessionStore> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const store = yield* SessionStore
      const sweep = store.expire(age).pipe(
        Effect.tap((count) => (count === 0 ? Effect.void : Effect.logInfo(`${count} sessions have expired`))),
        Effect.catch((error) => Effect.logWarning("sessions could not expire", error)),
        Effect.repeat(Schedule.spaced(interval))
      )
      yield* Effect.forkScoped(sweep)
    })
  )
