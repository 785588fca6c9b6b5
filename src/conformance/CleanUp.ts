import { Duration, Effect, Option, Ref } from "effect"

/** How the rules of a check delete what they have made. */
export interface CleanUp {
  /** A rule begins. */
  readonly begin: Effect.Effect<void>
  /** Deletes something that the rule has made, if there is time. */
  readonly run: (deleting: Effect.Effect<unknown, unknown>) => Effect.Effect<void>
}

/**
 * A clean-up that may take this long for each rule.
 *
 * 1. What cannot be deleted in that time is left behind.
 * 2. Where a rule has left something behind, so does all that follows: a server that deletes nothing holds a check up once.
 */
export const make = (patience: Duration.Duration): Effect.Effect<CleanUp> =>
  Effect.map(Ref.make(patience), (left) => ({
    begin: Ref.update(left, (time) => (Duration.isZero(time) ? time : patience)),
    run: Effect.fnUntraced(function* (deleting) {
      const time = yield* Ref.get(left)
      if (Duration.isZero(time)) return
      const [taken, done] = yield* Effect.timed(Effect.timeoutOption(Effect.exit(deleting), time))
      const more = Option.isNone(done) ? Duration.zero : Duration.subtract(time, taken)
      yield* Ref.set(left, Duration.max(more, Duration.zero))
    })
  }))
