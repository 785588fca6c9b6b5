import { Stream } from "effect"
import type { ModelEvent } from "./ChatModel.ts"
import type { ModelError } from "./ModelError.ts"

const isSeen = (event: ModelEvent): boolean =>
  event.type === "text_delta" || event.type === "thinking_delta" ? event.delta !== "" : event.type !== "provider_data"

/**
 * Goes on with another stream when this one fails before anything of it was seen: nobody must read a beginning twice.
 *
 * 1. What is not seen by itself is held back, and dropped with its stream.
 * 2. Once something was seen, every failure passes through.
 */
export const catchBefore = <R1, R2, E>(
  stream: Stream.Stream<ModelEvent, ModelError, R1>,
  recover: (error: ModelError) => Stream.Stream<ModelEvent, ModelError | E, R2>
): Stream.Stream<ModelEvent, ModelError | E, R1 | R2> =>
  Stream.suspend(() => {
    let seen = false
    let held: ReadonlyArray<ModelEvent> = []
    const hear = (chunk: ReadonlyArray<ModelEvent>): ReadonlyArray<ModelEvent> => {
      if (seen) return chunk
      held = [...held, ...chunk]
      if (!chunk.some(isSeen)) return []
      seen = true
      return held
    }
    return stream.pipe(
      Stream.mapAccumArray(
        () => undefined,
        (none, chunk) => [none, hear(chunk)] as const
      ),
      Stream.catch(
        (error): Stream.Stream<ModelEvent, ModelError | E, R2> => (seen ? Stream.fail(error) : recover(error))
      )
    )
  })
