import { Effect, Stream } from "effect"
import * as Arr from "effect/Array"
import type { ChatModel, ModelEvent, ModelRequest } from "./ChatModel.ts"
import { catchBefore } from "./FirstDelta.ts"
import type { ModelError } from "./ModelError.ts"

/** A model of a list; `model` is its name at its provider, that of the request where absent. */
export interface Candidate {
  readonly service: ChatModel["Service"]
  readonly model?: string
}

/** A refusal is an answer, which is not asked for again elsewhere. */
const mayHelp = (error: ModelError): boolean => error.reason !== "refused"

/** What the failures come to: the one that passes soonest, else the first. */
const sum = (before: ModelError | undefined, error: ModelError): ModelError => {
  if (before === undefined || (!before.retryable && error.retryable)) return error
  const isSooner = error.retryable && (error.retryAfterMillis ?? 0) < (before.retryAfterMillis ?? 0)
  return isSooner ? error : before
}

const isDelta = (event: ModelEvent): boolean => event.type === "text_delta" || event.type === "thinking_delta"

/** Events with the name of their provider, but for deltas, which need none. */
const mark =
  (provider: string) =>
  (chunk: Arr.NonEmptyReadonlyArray<ModelEvent>): Arr.NonEmptyReadonlyArray<ModelEvent> =>
    chunk.every(isDelta) ? chunk : Arr.map(chunk, (event) => (isDelta(event) ? event : { provider, ...event }))

/**
 * One model of several: each request goes to the first, and to the next where one fails before anything of its answer
 * was seen.
 *
 * 1. A refusal is passed on, and so is a failure after the first delta.
 * 2. When all fail, the failure is the one that passes soonest, else the first model's.
 * 3. Provider data keeps the name of the provider that made it.
 */
export const make = (candidates: Arr.NonEmptyReadonlyArray<Candidate>): ChatModel["Service"] => {
  const attempt = (
    request: ModelRequest,
    [{ model, service }, ...others]: Arr.NonEmptyReadonlyArray<Candidate>,
    before?: ModelError
  ): Stream.Stream<ModelEvent, ModelError> => {
    const answer = service
      .stream(model === undefined ? request : { ...request, model })
      .pipe(Stream.mapArray(mark(service.provider)))
    return catchBefore(answer, (error) => {
      const [next, ...rest] = others
      if (!mayHelp(error)) return Stream.fail(error)
      const failure = sum(before, error)
      if (next === undefined) return Stream.fail(failure)
      return Stream.unwrap(
        Effect.as(
          Effect.logWarning(`${service.provider} failed, so ${next.service.provider} is asked: ${error.message}`),
          attempt(request, [next, ...rest], failure)
        )
      )
    })
  }
  return { provider: candidates[0].service.provider, stream: (request) => attempt(request, candidates) }
}
