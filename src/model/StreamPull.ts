import { Channel, Effect, type Pull, type Scope, Stream } from "effect"
import type * as Arr from "effect/Array"

/** The pull of a stream of these. */
export type StreamPull<A, E, R = never> = Pull.Pull<Arr.NonEmptyReadonlyArray<A>, E, void, R>

/**
 * A stream with the pull that an effect makes when the stream is run, for the stream's scope. Nothing of the effect stands in
 * the way of a pull, as what `Stream.unwrap` gives does; for that it is run before the first pull, not at it. The scope is an
 * argument: as a service it would be one more context for as long as the stream is open.
 */
export const toStream = <A, E, R1, R2>(
  open: (scope: Scope.Scope) => Effect.Effect<StreamPull<A, E, R2>, E, R1>
): Stream.Stream<A, E, R1 | R2> => Stream.fromChannel(Channel.fromTransform((_, scope) => open(scope)))

/**
 * The pull of a stream, for one fiber that holds the scope and pulls one after the other. `Stream.toPull` is for any: each of
 * its pulls takes a lock and merges two contexts, which costs a delta more than its decoding and encoding.
 */
export const make = <A, E, R>(
  stream: Stream.Stream<A, E, R>,
  scope: Scope.Scope
): Effect.Effect<StreamPull<A, E, R>, never, R> =>
  Effect.catchCause(Channel.toPullScoped(stream.channel, scope), (cause) => Effect.succeed(Effect.failCause(cause)))

/** The pull of what was pulled already, which is then let go, and after it of the rest. */
export const startingWith = <A, E, R>(
  chunk: Arr.NonEmptyReadonlyArray<A>,
  rest: StreamPull<A, E, R>
): StreamPull<A, E, R> => {
  let held: typeof chunk | undefined = chunk
  return Effect.suspend(() => {
    if (held === undefined) return rest
    const first = held
    held = undefined
    return Effect.succeed(first)
  })
}
