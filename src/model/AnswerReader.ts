import { Result } from "effect"
import type { ModelEvent } from "./ChatModel.ts"
import { ModelError } from "./ModelError.ts"
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
  /** The answer has ended, with whatever it ended in. It is called until it fails, or the answer is over. */
  readonly end: () => Result.Result<Heard, ModelError>
}

/** How much of an answer may wait to be understood, in characters: a whole answer, or one event. */
const maxPending = 20_000_000

const blank = /^\s*$/

const tooLarge = new ModelError({
  reason: "bad_response",
  message: `the model server sent more than ${maxPending} characters without an end`,
  retryable: false
})

/**
 * Reads an event stream, or one whole chunk in JSON, as servers answer that know no streaming.
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
  const decode = provider.decoder()
  let state = initial
  let json = ""
  let failure: ModelError | undefined

  /** Tells what was said first; the failure waits for the next call. */
  const fail = (events: ReadonlyArray<ModelEvent>, error: ModelError): Result.Result<Heard, ModelError> => {
    if (events.length === 0) return Result.fail(error)
    failure = error
    return Result.succeed({ events, over: false })
  }

  const over = (events: ReadonlyArray<ModelEvent>, complete: boolean): Result.Result<Heard, ModelError> =>
    Result.match(provider.end(state, complete), {
      onFailure: (error) => fail(events, error),
      onSuccess: (last) => Result.succeed({ events: [...events, ...last], over: true })
    })

  const hear = (data: ReadonlyArray<string>): Result.Result<Heard, ModelError> => {
    const events: Array<ModelEvent> = []
    for (const item of data) {
      if (blank.test(item)) continue
      if (provider.isLast(item)) return over(events, true)
      const chunk = decode(item)
      if (Result.isFailure(chunk)) return fail(events, chunk.failure)
      const stepped = provider.step(state, chunk.success)
      if (Result.isFailure(stepped)) return fail(events, stepped.failure)
      const [next, said, failed] = stepped.success
      state = next
      for (const event of said) events.push(event)
      if (failed !== undefined) return fail(events, failed)
      if (provider.isOver(chunk.success)) return over(events, true)
    }
    return Result.succeed({ events, over: false })
  }

  return {
    read: (pieces) => {
      if (failure !== undefined) return Result.fail(failure)
      let decoded = ""
      for (const piece of pieces) decoded += text.decode(piece, { stream: true })
      if (!whole) {
        const heard = hear(sse.feed(decoded))
        return sse.pending() > maxPending ? Result.fail(tooLarge) : heard
      }
      json += decoded
      return json.length > maxPending ? Result.fail(tooLarge) : Result.succeed({ events: [], over: false })
    },
    end: () => {
      if (failure !== undefined) return Result.fail(failure)
      const heard = hear(whole ? [json] : [...sse.feed(text.decode()), ...sse.end()])
      return Result.isFailure(heard) || heard.success.over || failure !== undefined
        ? heard
        : over(heard.success.events, whole)
    }
  }
}
