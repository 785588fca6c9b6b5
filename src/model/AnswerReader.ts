import { Result } from "effect"
import type { ModelEvent } from "./ChatModel.ts"
import type { ModelError } from "./ModelError.ts"
import type { ModelProvider } from "./ModelProvider.ts"
import * as SseDecoder from "./SseDecoder.ts"

/** Some of an answer: what the model says in it, and whether nothing more is to come. */
export interface Heard {
  readonly events: ReadonlyArray<ModelEvent>
  readonly over: boolean
}

/** Reads one answer of a provider, piece by piece. */
export interface AnswerReader {
  readonly read: (pieces: ReadonlyArray<Uint8Array>) => Result.Result<Heard, ModelError>
  /** The answer has ended, with whatever it ended in. */
  readonly end: () => Result.Result<Heard, ModelError>
}

/**
 * Reads an event stream, or a whole JSON answer where a server knows no streaming.
 *
 * 1. What the model said before a failure is heard before the failure.
 * 2. Nothing is heard after the answer's finish.
 */
export const make = <State, Chunk>(
  provider: ModelProvider<State, Chunk>,
  initial: State,
  whole: boolean
): AnswerReader => {
  const text = new TextDecoder()
  const sse = SseDecoder.make()
  let state = initial
  let json = ""
  let failure: ModelError | undefined

  const over = (events: ReadonlyArray<ModelEvent>, complete: boolean): Result.Result<Heard, ModelError> =>
    Result.map(provider.end(state, complete), (last) => ({ events: [...events, ...last], over: true }))

  const hear = (data: ReadonlyArray<string>): Result.Result<Heard, ModelError> => {
    const events: Array<ModelEvent> = []
    for (const item of data) {
      if (provider.isLast(item)) return over(events, true)
      const chunk = provider.decodeChunk(item)
      const stepped = Result.flatMap(chunk, (chunk) => provider.step(state, chunk))
      if (Result.isFailure(stepped)) {
        if (events.length === 0) return Result.fail(stepped.failure)
        failure = stepped.failure
        break
      }
      state = stepped.success[0]
      events.push(...stepped.success[1])
      if (Result.isSuccess(chunk) && provider.isOver(chunk.success)) return over(events, true)
    }
    return Result.succeed({ events, over: false })
  }

  return {
    read: (pieces) => {
      if (failure !== undefined) return Result.fail(failure)
      let decoded = ""
      for (const piece of pieces) decoded += text.decode(piece, { stream: true })
      if (!whole) return hear(sse.feed(decoded))
      json += decoded
      return Result.succeed({ events: [], over: false })
    },
    end: () => {
      if (failure !== undefined) return Result.fail(failure)
      const heard = hear(whole ? [json] : [...sse.feed(text.decode()), ...sse.end()])
      if (Result.isFailure(heard) || heard.success.over) return heard
      return failure === undefined ? over(heard.success.events, whole) : Result.fail(failure)
    }
  }
}
