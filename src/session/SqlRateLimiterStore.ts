import { Duration, Effect, Layer, Schedule, Schema } from "effect"
import { RateLimiter } from "effect/persistence"
import { SqlClient, type Statement } from "effect/sql"
import * as Migrations from "./Migrations.ts"
import { StoreError } from "./SessionStore.ts"
import * as SqlClock from "./SqlClock.ts"
import { Whole } from "./SqlRow.ts"

/** How often rows that say nothing any more are removed. */
const sweepInterval = Duration.minutes(10)

/** What a statement left behind. Times are microseconds, so that a share of a minute is whole enough. */
const TakenRow = Schema.Struct({ taken: Whole, expires_at: Whole, asked_at: Whole, refused: Whole })
const decodeRows = Schema.decodeUnknownEffect(Schema.Tuple([TakenRow]))

const micros = (duration: Duration.Duration): number => Math.max(1, Math.round(Duration.toMillis(duration) * 1000))

const failed = (cause: unknown) =>
  new RateLimiter.RateLimiterError({
    reason: new RateLimiter.RateLimitStoreError({ message: "the database failed in limiting", cause })
  })

interface Taking {
  readonly id: string
  readonly tokens: number
  /** Microseconds that one token is worth. */
  readonly refill: number
  /** Whether the tokens are not to be had, said of the row as it is. */
  readonly isRefused: Statement.Fragment
}

/** What was taken since the row last expired, and microseconds until it does. */
interface Taken {
  readonly taken: number
  readonly left: number
  readonly isRefused: boolean
}

/**
 * What is left of a bucket once tokens are taken from it, below zero where they were not to be had, and the milliseconds
 * since it last got one.
 */
const toBucket = (
  { isRefused, left }: Taken,
  { limit, refill, tokens }: { readonly limit: number; readonly refill: number; readonly tokens: number }
): readonly [remaining: number, elapsedMillis: number] => {
  const owed = isRefused ? left : Math.max(0, left - tokens * refill)
  const missing = Math.ceil(owed / refill)
  return [limit - missing - tokens, (missing * refill - owed) / 1000]
}

const make = (sql: SqlClient.SqlClient): RateLimiter.RateLimiterStore["Service"] => {
  const whole = (value: number) => sql`CAST(${value} AS BIGINT)`
  const isOver = sql.literal("rate_limits.expires_at <= excluded.asked_at")
  const never = sql.literal("1 = 0")

  const take = Effect.fnUntraced(function* ({ id, isRefused, refill, tokens }: Taking) {
    const now = yield* SqlClock.microseconds(sql)
    const cost = whole(tokens * refill)
    const rows = yield* sql`
      INSERT INTO rate_limits (id, taken, expires_at, asked_at, refused)
      SELECT ${id}, ${whole(tokens)}, asked.at + ${cost}, asked.at, 0 FROM (SELECT ${now} AS at) AS asked WHERE true
      ON CONFLICT (id) DO UPDATE SET
        taken = CASE
          WHEN ${isRefused} THEN rate_limits.taken
          WHEN ${isOver} THEN excluded.taken
          ELSE rate_limits.taken + excluded.taken
        END,
        expires_at = CASE
          WHEN ${isRefused} THEN rate_limits.expires_at
          WHEN ${isOver} THEN excluded.expires_at
          ELSE rate_limits.expires_at + ${cost}
        END,
        asked_at = excluded.asked_at,
        refused = CASE WHEN ${isRefused} THEN 1 ELSE 0 END
      RETURNING taken, expires_at, asked_at, refused
    `
    const [row] = yield* decodeRows(rows)
    const left = Math.max(0, Number(row.expires_at) - Number(row.asked_at))
    return { taken: Number(row.taken), left, isRefused: Number(row.refused) === 1 }
  }, Effect.mapError(failed))

  return {
    fixedWindow: Effect.fnUntraced(function* ({ key, limit, refillRate, tokens }) {
      const before = sql`CASE WHEN ${isOver} THEN 0 ELSE rate_limits.taken END`
      const isRefused = limit === undefined ? never : sql`${before} + ${whole(tokens)} > ${whole(limit)}`
      const taken = yield* take({ id: `window ${key}`, tokens, refill: micros(refillRate), isRefused })
      return [taken.taken + (taken.isRefused ? tokens : 0), taken.left / 1000]
    }),
    tokenBucket: Effect.fnUntraced(function* ({ allowOverflow, key, limit, refillRate, tokens }) {
      const refill = micros(refillRate)
      const most = whole((limit - tokens) * refill)
      const isRefused = allowOverflow ? never : sql`rate_limits.expires_at - excluded.asked_at > ${most}`
      const taken = yield* take({ id: `bucket ${key}`, tokens, refill, isRefused })
      return toBucket(taken, { limit, refill, tokens })
    }),
    // What a provider's answers teach about its limits is for clients; nothing is learnt here.
    adaptiveConsume: () => Effect.succeed({ delay: Duration.zero, epoch: 0, phase: "inactive" }),
    adaptiveFeedback: () => Effect.void
  }
}

/** Removes the rows that have expired, but for those that another process removes just now; how many. */
export const sweep: Effect.Effect<number, StoreError, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const skip = sql.onDialectOrElse({
    pg: () => sql.literal("FOR UPDATE SKIP LOCKED"),
    orElse: () => sql.literal("")
  })
  const rows = yield* sql`
    DELETE FROM rate_limits WHERE id IN (
      SELECT id FROM rate_limits WHERE expires_at <= ${yield* SqlClock.microseconds(sql)} ${skip}
    ) RETURNING id
  `
  return rows.length
}).pipe(Effect.mapError((cause) => new StoreError({ operation: "remove old limits", cause })))

/**
 * What limiters remember, in a SQL database, which is brought to the newest schema first. Tokens are whole.
 *
 * 1. One row for each key, written by one statement, by the database's clock where several processes share it.
 * 2. A row expires when all that was taken is given back: each token puts that off by what it is worth. Then it says
 *    nothing any more, and goes.
 * 3. A refusal takes nothing, and writes that it was one.
 */
export const layer: Layer.Layer<RateLimiter.RateLimiterStore, StoreError, SqlClient.SqlClient> = Layer.effect(
  RateLimiter.RateLimiterStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* Effect.mapError(Migrations.run, (cause) => new StoreError({ operation: "migrate", cause }))
    const sweeps = sweep.pipe(
      Effect.catch((error) => Effect.logWarning("old limits could not be removed", error)),
      Effect.repeat(Schedule.spaced(sweepInterval))
    )
    yield* Effect.forkScoped(sweeps)
    return make(sql)
  })
)
