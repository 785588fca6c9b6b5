import { Channel, Effect, type Pull, Scope, Stream } from "effect"
import type * as Arr from "effect/Array"

/** The pull of a stream of these. */
export type StreamPull<A, E, R = never> = Pull.Pull<Arr.NonEmptyReadonlyArray<A>, E, void, R>

/**
 * A stream with the pull that an effect makes when the stream is run, in its scope. Nothing of the effect stands in the way
 * of a pull, as what `Stream.unwrap` gives does; for that it is run before the first pull, not at it.
 */
export const toStream = <A, E, R1, R2>(
  open: Effect.Effect<StreamPull<A, E, R2>, E, R1>
): Stream.Stream<A, E, Exclude<R1, Scope.Scope> | R2> =>
  Stream.fromChannel(Channel.fromTransform((_, scope) => Scope.provide(open, scope)))

/**
 * The pull of a stream, for one fiber that holds the scope and pulls one after the other. `Stream.toPull` is for any: each of
 * its pulls takes a lock and merges two contexts, which costs a delta more than its decoding and encoding.
 */
export const make = <A, E, R>(
  stream: Stream.Stream<A, E, R>,
  scope: Scope.Scope
): Effect.Effect<StreamPull<A, E, R>, never, R> =>
  Effect.catchCause(Channel.toPullScoped(stream.channel, scope), (cause) => Effect.succeed(Effect.failCause(cause)))
