import { PgClient } from "@effect/sql-pg"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Layer, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as ConfiguredStore from "../../src/cli/ConfiguredStore.ts"
import { SessionStore } from "../../src/session/SessionStore.ts"
import { Postgres, sharedBy } from "../support/Postgres.ts"
import { soundRows } from "../support/SoundStore.ts"
import { openSession, says, takeTurn, testServer } from "../support/TestServer.ts"
import { secretKey } from "../support/TestSecrets.ts"
import { lasts, passes, type Trouble } from "../support/TroubledServer.ts"

const postgres = sharedBy({ afterAll, beforeAll })

const clientOf = (url: string, maxConnections: number) =>
  Effect.map(
    Layer.build(Layer.orDie(PgClient.layer({ url: Redacted.make(url), maxConnections, applicationName: "test" }))),
    (context) => Effect.provide(SqlClient.SqlClient, context)
  ).pipe(Effect.flatten)

/** A database of its own, its servers' store as the settings make it, and a client of the test's that no trouble reaches. */
const prepare = Effect.fnUntraced(function* (leaseDuration = Duration.seconds(30)) {
  const owners = yield* (yield* Postgres).database
  const name = new URL(owners).pathname.slice(1)
  const sql = yield* clientOf(owners, 4)
  yield* sql.unsafe(`CREATE ROLE app_${name} LOGIN`)
  yield* sql.unsafe(`ALTER DATABASE ${name} OWNER TO app_${name}`)
  yield* sql.unsafe(`ALTER SCHEMA public OWNER TO app_${name}`)
  const url = Redacted.make(owners.replace("postgres@", `app_${name}@`))
  const context = yield* Layer.build(
    ConfiguredStore.layer({
      database: { kind: "postgres", url },
      leaseDuration,
      limits: { requests: Option.none(), sessions: Option.none(), turns: Option.none() },
      secretKeys: [Redacted.make(secretKey)]
    })
  )
  const store = Layer.succeed(SessionStore, yield* Effect.provide(SessionStore, context))
  return { name, sql, store, url }
})

type Place = Effect.Success<ReturnType<typeof prepare>>

const run = ({ sql }: Place, ...statements: ReadonlyArray<string>) =>
  Effect.orDie(Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true }))

const ours = "application_name = 'effect-aap' AND datname = current_database()"
const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${ours}`

/** Waits until a statement of ours waits for a lock. */
const untilOneWaits = ({ sql }: Place) =>
  sql`SELECT pid FROM pg_stat_activity WHERE ${sql.literal(ours)} AND wait_event_type = 'Lock'`.pipe(
    Effect.repeat({ until: (rows) => rows.length > 0, times: 10_000 }),
    Effect.flatMap((rows) => (rows.length > 0 ? Effect.void : Effect.die("nobody waits for the lock"))),
    Effect.orDie
  )

/** Another connection locks what this statement locks, until it is told to let go. */
const lock = Effect.fnUntraced(function* ({ sql }: Place, statement: string) {
  const held = yield* Deferred.make<void>()
  const over = yield* Deferred.make<void>()
  const holder = sql.withTransaction(
    sql.unsafe(statement).pipe(Effect.andThen(Deferred.succeed(held, undefined)), Effect.andThen(Deferred.await(over)))
  )
  const scope = yield* Effect.scope
  return {
    breaks: Effect.andThen(Effect.forkIn(Effect.orDie(holder), scope), Deferred.await(held)),
    mends: Effect.asVoid(Deferred.succeed(over, undefined))
  } satisfies Trouble
})

const rows = "SELECT * FROM sessions FOR UPDATE"

const readOnly = (place: Place) =>
  Effect.succeed<Trouble>({
    breaks: run(place, `ALTER DATABASE ${place.name} SET default_transaction_read_only = on`, cut),
    mends: run(place, `ALTER DATABASE ${place.name} RESET default_transaction_read_only`, cut)
  })

const outOfConnections = (place: Place) =>
  Effect.succeed<Trouble>({
    breaks: run(place, `ALTER ROLE app_${place.name} CONNECTION LIMIT 0`, cut),
    mends: run(place, `ALTER ROLE app_${place.name} CONNECTION LIMIT -1`)
  })

/** Its connections die under their statements, which wait for a lock meanwhile. */
const cutting = (place: Place) =>
  Effect.map(
    lock(place, rows),
    ({ breaks, mends }): Trouble => ({
      breaks: Effect.andThen(breaks, Effect.forkDetach(Effect.andThen(untilOneWaits(place), run(place, cut)))),
      mends
    })
  )

describe.concurrent("a PostgreSQL database", () => {
  it.live.each([
    { name: "locked for longer than a statement waits", trouble: (place: Place) => lock(place, rows) },
    { name: "read-only", trouble: readOnly },
    { name: "out of connections", trouble: outOfConnections },
    { name: "cutting its connections", trouble: cutting }
  ])("that is $name for a moment costs a turn a pause", ({ trouble }) =>
    Effect.gen(function* () {
      const place = yield* prepare()
      yield* Effect.provideService(passes(place.store, yield* trouble(place)), SqlClient.SqlClient, place.sql)
    }).pipe(Effect.provide(postgres))
  )

  it.live.each([
    { name: "read-only", trouble: readOnly },
    { name: "out of connections", trouble: outOfConnections }
  ])("that stays $name ends a turn with error, and the service is back with it", ({ trouble }) =>
    Effect.gen(function* () {
      const place = yield* prepare(Duration.seconds(2))
      yield* Effect.provideService(lasts(place.store, yield* trouble(place)), SqlClient.SqlClient, place.sql)
    }).pipe(Effect.provide(postgres))
  )

  it.live("that is slow is waited for", () =>
    Effect.gen(function* () {
      const place = yield* prepare()
      yield* Effect.gen(function* () {
        const id = yield* openSession()
        const { breaks, mends } = yield* lock(place, rows)
        yield* breaks
        const turn = yield* Effect.forkChild(takeTurn(id, says("go")))
        yield* untilOneWaits(place)
        assert.isUndefined(turn.pollUnsafe())
        yield* mends
        assert.include((yield* Fiber.join(turn)).text, '"stopReason":"end_turn"')
      }).pipe(Effect.provide(testServer({ store: place.store })))
    }).pipe(Effect.provide(postgres))
  )

  it.live("that does not come to an end is not waited for without end, and nothing is changed", () =>
    Effect.gen(function* () {
      const place = yield* prepare()
      yield* Effect.gen(function* () {
        const id = yield* openSession()
        const { breaks, mends } = yield* lock(place, "LOCK TABLE sessions IN EXCLUSIVE MODE")
        yield* breaks
        const answers = yield* Effect.all(
          [
            takeTurn(id, says("go", { stream: "delta" })),
            ...Array.from({ length: 12 }, () => Effect.asVoid(Effect.exit(openSession())))
          ],
          { concurrency: "unbounded" }
        )
        assert.strictEqual(answers[0]?.status, 503)
        assert.include(answers[0]?.text, "store_unavailable")
        yield* mends
        const { leaseExpiresAt, messages } = yield* soundRows(id)
        assert.deepStrictEqual([leaseExpiresAt, messages], [0, []])
        assert.deepStrictEqual(yield* place.sql`SELECT count(*)::int AS count FROM sessions`, [{ count: 1 }])
        assert.include((yield* takeTurn(id, says("go"))).text, '"stopReason":"end_turn"')
      }).pipe(Effect.provide(testServer({ store: place.store })), Effect.provideService(SqlClient.SqlClient, place.sql))
    }).pipe(Effect.provide(postgres))
  )

  it.live("takes the locks of a server that froze while it held them", () =>
    Effect.gen(function* () {
      const place = yield* prepare()
      yield* Effect.gen(function* () {
        const id = yield* openSession()
        const held = yield* Deferred.make<void>()
        const context = yield* Layer.build(ConfiguredStore.postgresClient(place.url))
        const frozen = yield* Effect.provide(SqlClient.SqlClient, context)
        const holder = yield* Effect.forkChild(
          frozen.withTransaction(
            frozen.unsafe(rows).pipe(Effect.andThen(Deferred.succeed(held, undefined)), Effect.andThen(Effect.never))
          )
        )
        yield* Deferred.await(held)
        const turn = yield* Effect.repeat(takeTurn(id, says("go")), { while: ({ status }) => status === 503, times: 9 })
        assert.include(turn.text, '"stopReason":"end_turn"')
        yield* Effect.forkDetach(Fiber.interrupt(holder))
      }).pipe(Effect.provide(testServer({ store: place.store })))
    }).pipe(Effect.provide(postgres))
  )
})
