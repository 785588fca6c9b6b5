import { Duration, Effect, Option, Random, Stream } from "effect"
import type { ModelEvent } from "./ChatModel.ts"
import { catchBefore } from "./FirstDelta.ts"
import type { ModelError } from "./ModelError.ts"

/** How a model request is tried again. */
export interface RetryPolicy {
  /** The most requests made in all, those aside that a mended failure is worth. */
  readonly attempts: number
  /** The wait before the second request; it doubles with each further one, plus up to as much again at random. */
  readonly baseDelay: Duration.Input
  /** The longest wait. A provider that asks for a longer one is not waited for. */
  readonly maxDelay: Duration.Input
}

/** Three requests in all, half a second apart at first, at most thirty seconds. */
export const defaultPolicy: RetryPolicy = { attempts: 3, baseDelay: "500 millis", maxDelay: "30 seconds" }

/** How long to wait before the next request, in milliseconds; none for not at all. */
const wait = (error: ModelError, attempt: number, policy: RetryPolicy): Effect.Effect<Option.Option<number>> => {
  const max = Duration.toMillis(policy.maxDelay)
  const asked = error.retryAfterMillis ?? 0
  if (!error.retryable || attempt >= policy.attempts || asked > max) return Effect.succeedNone
  const delay = Duration.toMillis(policy.baseDelay) * 2 ** (attempt - 1)
  return Effect.map(Random.next, (random) => Option.some(Math.max(asked, Math.min(max, delay * (1 + random)))))
}

/**
 * Runs a model's stream again when it fails for a while, as long as nothing of it was seen: the client must never read
 * a beginning twice. After the first visible delta or call every failure passes through. A failure that does not pass by
 * itself may be mended: where `mend` says so, the stream is run again.
 */
export const beforeFirstDelta = <R, E = never>(
  stream: Stream.Stream<ModelEvent, ModelError, R>,
  policy: RetryPolicy = defaultPolicy,
  mend: (error: ModelError) => Effect.Effect<boolean, E> = () => Effect.succeed(false)
): Stream.Stream<ModelEvent, ModelError | E, R> => {
  const attempt = (count: number): Stream.Stream<ModelEvent, ModelError | E, R> =>
    catchBefore(stream, (error) =>
      Stream.unwrap(
        Effect.gen(function* () {
          const millis = yield* wait(error, count, policy)
          if (Option.isNone(millis)) return (yield* mend(error)) ? attempt(count) : Stream.fail(error)
          yield* Effect.sleep(millis.value)
          return attempt(count + 1)
        })
      )
    )
  return attempt(1)
}
