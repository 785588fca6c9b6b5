import { Context, Duration, Effect, Layer, Schema } from "effect"
import { RateLimiter } from "effect/persistence"
import type { Principal } from "./Session.ts"
import { StoreError } from "./SessionStore.ts"

/** The principal sends more than it may. `retryAfter` in whole seconds, at least one: then one more request is let in. */
export class TooManyRequests extends Schema.TaggedError<TooManyRequests>()("TooManyRequests", {
  limit: Schema.Int,
  retryAfter: Schema.Int
}) {
  override get message() {
    return `this server takes ${this.limit} requests a minute from one principal; try again in ${this.retryAfter} s`
  }
}

/** Lets a principal's requests in, one at a time. */
export interface RequestLimit {
  readonly take: (owner: Principal) => Effect.Effect<void, TooManyRequests | StoreError>
}

/** The limit of a server's requests; none where no Layer gives one. */
export const RequestLimit = Context.Reference<RequestLimit>("effect-aap/RequestLimit", {
  defaultValue: () => ({ take: () => Effect.void })
})

const toFailure = ({ reason }: RateLimiter.RateLimiterError) =>
  reason._tag === "RateLimitExceeded"
    ? new TooManyRequests({
        limit: reason.limit,
        retryAfter: Math.max(1, Math.ceil(Duration.toSeconds(reason.retryAfter)))
      })
    : new StoreError({ operation: "limit requests", cause: reason.cause })

/**
 * So many requests a minute from each principal: a bucket of as many, which fills evenly, so that a burst is let in and
 * nobody waits longer than it must. It holds over all servers whose limiters share a store.
 */
export const perMinute = (limit: number): Layer.Layer<never, never, RateLimiter.RateLimiterStore> =>
  Layer.effect(
    RequestLimit,
    Effect.map(RateLimiter.make, (limiter) => ({
      take: (owner) =>
        limiter
          .consume({ algorithm: "token-bucket", key: `requests ${owner}`, limit, window: "1 minute" })
          .pipe(Effect.mapError(toFailure), Effect.asVoid)
    }))
  )
