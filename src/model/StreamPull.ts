import { Channel, Effect, type Pull, type Scope, type Stream } from "effect"
import type * as Arr from "effect/Array"

/**
 * The pull of a stream, for one fiber that holds the scope and pulls one after the other. `Stream.toPull` is for any: each of
 * its pulls takes a lock and merges two contexts, which costs a delta more than its decoding and encoding.
 */
export const make = <A, E, R>(
  stream: Stream.Stream<A, E, R>,
  scope: Scope.Scope
): Effect.Effect<Pull.Pull<Arr.NonEmptyReadonlyArray<A>, E, void, R>, never, R> =>
  Effect.catchCause(Channel.toPullScoped(stream.channel, scope), (cause) => Effect.succeed(Effect.failCause(cause)))
