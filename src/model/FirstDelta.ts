import { Cause, Effect, Exit, Pull, Result, Scope, type Stream } from "effect"
import * as Arr from "effect/Array"
import type { ModelEvent } from "./ChatModel.ts"
import type { ModelError } from "./ModelError.ts"
import * as StreamPull from "./StreamPull.ts"

const isSeen = (event: ModelEvent): boolean =>
  event.type === "text_delta" || event.type === "thinking_delta" ? event.delta !== "" : event.type !== "provider_data"

type Events<E, R> = StreamPull.StreamPull<ModelEvent, E, R>

/**
 * Goes on with another stream when this one fails before anything of it was seen: nobody must read a beginning twice.
 *
 * 1. What is not seen by itself is held back, and dropped with its stream.
 * 2. Once something was seen, every failure passes through, and a pull is the stream's own.
 */
export const catchBefore = <R1, R2, E>(
  stream: Stream.Stream<ModelEvent, ModelError, R1>,
  recover: (error: ModelError) => Stream.Stream<ModelEvent, ModelError | E, R2>
): Stream.Stream<ModelEvent, ModelError | E, R1 | R2> =>
  StreamPull.toStream((outer) =>
    Effect.flatMap(Scope.fork(outer), (scope) =>
      Effect.map(StreamPull.make(stream, scope), (first) => {
        let held: ReadonlyArray<ModelEvent> = []
        const goOn = (error: ModelError, cause: Cause.Cause<unknown>): typeof pull =>
          Effect.andThen(
            Scope.close(scope, Exit.failCause(cause)),
            Effect.flatMap(StreamPull.make(recover(error), outer), (next) => {
              pull = next
              return next
            })
          )
        let pull: Events<ModelError | E, R1 | R2> = Pull.matchEffect(first, {
          onSuccess: (chunk) => {
            held = [...held, ...chunk]
            const events = held
            if (!Arr.isReadonlyArrayNonEmpty(events) || !chunk.some(isSeen)) return pull
            held = []
            pull = first
            return Effect.succeed(events)
          },
          onDone: () => Cause.done(),
          onFailure: (cause) => {
            const error = Cause.findError(cause)
            return Result.isFailure(error) ? Effect.failCause(error.failure) : goOn(error.success, cause)
          }
        })
        return Effect.suspend(() => pull)
      })
    )
  )
