import { Cause, Effect, Exit, Pull, Scope, Stream } from "effect"
import * as StreamPull from "../model/StreamPull.ts"

/** A part of a turn: what it tells, and what comes after it; nothing comes after the last. */
export interface Stage<A, E> {
  readonly stream: Stream.Stream<A, E>
  readonly next: Effect.Effect<Stage<A, E> | undefined, E>
}

/** The stage that tells these, and ends. */
export const last = <A>(told: ReadonlyArray<A>): Stage<A, never> => ({
  stream: Stream.fromArray(told),
  next: Effect.undefined
})

type Events<A> = StreamPull.StreamPull<A, never>

/**
 * Stages one after the other, as one stream. A model's deltas come one at a time, and each passes all that stands around
 * its stage: `Stream.concat` and `catchCause` would each cost it a frame or more. `recover` goes on after a failure of any
 * stage, interruption aside; one of what it goes on with is final.
 *
 * 1. A stage's scope is closed before the next begins, or a failure is recovered from, and hears how the stage ended.
 * 2. A pull within a stage costs one frame.
 */
export const run = <A, E>(
  first: Effect.Effect<Stage<A, E>, E>,
  recover: (cause: Cause.Cause<E>) => Effect.Effect<Stage<A, never>>
): Stream.Stream<A> =>
  StreamPull.toStream((outer) =>
    Effect.sync(() => {
      let scope = Scope.forkUnsafe(outer)
      let hasFailed = false

      const handle =
        (next: Stage<A, E>["next"] | undefined) =>
        (cause: Cause.Cause<E | Cause.Done>): Events<A> => {
          if (Pull.isDoneCause(cause)) return next === undefined ? Cause.done() : enter(leave(Exit.void, next))
          if (hasFailed || Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause as Cause.Cause<never>)
          hasFailed = true
          return enter(leave(Exit.failCause(cause), recover(cause as Cause.Cause<E>)))
        }

      const leave = <B>(exit: Exit.Exit<void, unknown>, next: Effect.Effect<B, E>) =>
        Effect.suspend(() => {
          const left = scope
          scope = Scope.forkUnsafe(outer)
          return Effect.andThen(Scope.close(left, exit), next)
        })

      const enter = (next: Effect.Effect<Stage<A, E> | undefined, E>): Events<A> =>
        next.pipe(
          Effect.flatMap((stage) => {
            if (stage === undefined) {
              pull = Cause.done()
              return pull
            }
            return Effect.flatMap(StreamPull.make(stage.stream, scope), (inner) => {
              pull = Effect.catchCause(inner, handle(stage.next))
              return pull
            })
          }),
          Effect.catchCause(handle(undefined))
        )

      let pull: Events<A> = enter(first)
      return Effect.suspend(() => pull)
    })
  )
