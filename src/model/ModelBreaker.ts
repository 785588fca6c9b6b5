import { Cause, Duration, Effect, Exit, Layer, Option, Pull, type Scope } from "effect"
import { CircuitBreaker } from "effect/persistence"
import { ChatModel, type ModelRequest } from "./ChatModel.ts"
import { ModelError, type ModelErrorReason } from "./ModelError.ts"
import * as StreamPull from "./StreamPull.ts"

/** When a model is left alone, and for how long. */
export interface BreakerOptions {
  /** How many requests in a row fail before the model is left alone; five by default. */
  readonly failures?: number
  /** How long it is left alone; thirty seconds by default, or as long as its provider asks for. */
  readonly openDuration?: Duration.Input
}

/** Failures that speak against the provider; any other is an answer. */
const isProvidersFault = (reason: ModelErrorReason): boolean =>
  reason === "overloaded" ||
  reason === "rate_limited" ||
  reason === "timeout" ||
  reason === "network" ||
  reason === "bad_response"

const classify = (exit: Exit.Exit<unknown, ModelError>): CircuitBreaker.Outcome => {
  const error = Option.getOrUndefined(Exit.findErrorOption(exit))
  if (error === undefined) return Exit.isSuccess(exit) ? CircuitBreaker.success : CircuitBreaker.ignored
  if (!isProvidersFault(error.reason)) return CircuitBreaker.success
  return CircuitBreaker.failure(error.retryAfterMillis === undefined ? {} : { retryAfter: error.retryAfterMillis })
}

const leftAlone = (model: string, { reason }: CircuitBreaker.CircuitBreakerError): ModelError =>
  new ModelError({
    reason: "overloaded",
    message: `${model} failed too often, and is left alone for a while`,
    retryable: false,
    ...(reason._tag === "CircuitOpen" ? { retryAfterMillis: Duration.toMillis(reason.retryAfter) } : {})
  })

const guard = (model: ChatModel["Service"], breaker: CircuitBreaker.CircuitBreaker): ChatModel["Service"] => {
  const open = Effect.fnUntraced(function* (request: ModelRequest, scope: Scope.Scope) {
    const key = `${model.provider}/${request.model}`
    const begin = Effect.gen(function* () {
      const pull = yield* StreamPull.make(model.stream(request), scope)
      return yield* Pull.matchEffect(pull, {
        onSuccess: (chunk) => Effect.succeed(StreamPull.startingWith(chunk, pull)),
        onDone: () => Effect.succeed(Cause.done()),
        onFailure: Effect.failCause
      })
    })
    return yield* breaker
      .execute(begin, { key, classify })
      .pipe(Effect.catchTag("CircuitBreakerError", (error) => Effect.fail(leftAlone(key, error))))
  })
  return { provider: model.provider, stream: (request) => StreamPull.toStream((scope) => open(request, scope)) }
}

/**
 * Leaves a model alone for a while once its requests fail one after the other, each model of a provider by itself: its
 * requests then fail at once, until one that is let through is answered. What counts is whether an answer begins.
 */
export const layer = <E, R>(
  model: Layer.Layer<ChatModel, E, R>,
  { failures = 5, openDuration = "30 seconds" }: BreakerOptions = {}
): Layer.Layer<ChatModel, E, R> =>
  Layer.effect(
    ChatModel,
    Effect.gen(function* () {
      const breaker = yield* CircuitBreaker.make({ tripPolicy: CircuitBreaker.consecutive(failures), openDuration })
      return guard(yield* ChatModel, breaker)
    })
  ).pipe(Layer.provide(Layer.merge(model, CircuitBreaker.layerStoreMemory({ idleTimeToLive: "10 minutes" }))))
