import { cpus } from "node:os"
import { PgClient } from "@effect/sql-pg"
import { NodeRuntime } from "@effect/platform-node"
import { Clock, Console, Effect, Layer, Redacted, Result } from "effect"
import { SqlClient } from "effect/sql"
import * as Slot from "../../src/history/Slot.ts"
import { SessionId } from "../../src/protocol/Session.ts"
import * as Cursor from "../../src/session/Cursor.ts"
import { SecretBox } from "../../src/session/SecretBox.ts"
import { Principal, type Session } from "../../src/session/Session.ts"
import { SessionStore } from "../../src/session/SessionStore.ts"
import * as SqliteClient from "../../src/session/SqliteClient.ts"
import * as SqlSessionStore from "../../src/session/SqlSessionStore.ts"
import { says, session } from "../session/contract.ts"
import { Postgres } from "../support/Postgres.ts"
import { temporaryFile } from "../support/TemporaryFile.ts"
import { testSecrets } from "../support/TestSecrets.ts"

/**
 * What the store costs: `npm run bench:store`. The ratios count, the times are this machine's. It reaches nothing but
 * loopback and ends by itself.
 */
const counts = [1000, 1_000_000]
const pageSize = 50
const text = "A message of about a hundred characters, as people and models send them to each other all day long."

/** A case of a measurement. A way to read histories that is yet to come is one more. */
interface Case {
  readonly name: string
  readonly run: Effect.Effect<unknown, unknown, SessionStore>
  /** What makes everything as it was, untimed. */
  readonly undo?: Effect.Effect<unknown, unknown, SqlClient.SqlClient>
}

/** What a group of cases is measured as, the first being what the others are compared to. */
interface Group {
  readonly title: string
  readonly rounds: number
  readonly cases: ReadonlyArray<Case>
}

const owner = (sessions: number) => Principal.make(`owner of ${sessions}`)
/** A session of so many messages, of which the model is fed no more than the last `fed`. */
interface Length {
  readonly messages: number
  readonly fed?: number
}

const lengths: ReadonlyArray<Length> = [
  { messages: 10 },
  { messages: 100 },
  { messages: 1000 },
  { messages: 10_000 },
  { messages: 10_000, fed: 10 }
]

const idOf = ({ fed, messages }: Length) => SessionId.make(`sess_${messages}_${fed ?? "all"}`)
const writer = Principal.make("writer")

/** A turn as a short answer makes it: accepted, its step stored, released; what it added is taken away again. */
const turn = (length: Length): Case => ({
  name: `a turn on ${length.messages.toLocaleString("en")} messages${length.fed === undefined ? "" : `, ${length.fed} of them fed`}`,
  run: Effect.gen(function* () {
    const store = yield* SessionStore
    const append = [Slot.entry(says(text))]
    const { lease } = yield* store.accept(writer, idOf(length), (session: Session) =>
      Result.succeed({ session, append })
    )
    yield* store.commit(lease, { append: [Slot.entry(says(text))] })
    yield* store.commit(lease, { release: true, stopReason: "end_turn" })
  }),
  undo: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`DELETE FROM history WHERE session_id = ${idOf(length)} AND position >= ${length.messages}`
    yield* sql`UPDATE sessions SET next_position = ${length.messages} WHERE id = ${idOf(length)}`
  })
})

const page = (sessions: number, place: "first" | "late", after: string | undefined): Case => ({
  name: `the ${place} page of ${sessions.toLocaleString("en")} sessions`,
  run: Effect.flatMap(SessionStore, (store) =>
    store.list(owner(sessions), { limit: pageSize, ...(after === undefined ? {} : { after }) })
  )
})

/** Many sessions of one owner, by SQL alone, copied from one that the store made. */
const fill = Effect.fnUntraced(function* (sessions: number) {
  const sql = yield* SqlClient.SqlClient
  const store = yield* SessionStore
  const first = SessionId.make(`model_${sessions}`)
  yield* store.create(owner(sessions), session(first), [])
  yield* sql`UPDATE sessions SET options = NULL WHERE id = ${first}`
  const columns =
    "principal, agent, options, tools, pending, next_position, fence, commits, lease_expires_at, touched_at, turns, created_at"
  const batch = 50_000
  for (let from = 1; from < sessions; from += batch) {
    const to = Math.min(from + batch, sessions) - 1
    const series = sql.onDialectOrElse({
      pg: () => `generate_series(${from}, ${to}) AS n(i)`,
      orElse: () =>
        `(WITH RECURSIVE n(i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i < ${to}) SELECT i FROM n) AS n`
    })
    yield* sql.unsafe(
      `INSERT INTO sessions (id, ${columns}) SELECT '${sessions}_' || n.i, ${columns} FROM ${series}, sessions WHERE id = '${first}'`
    )
  }
})

/** The cursor of a page nine tenths down the list. */
const lateCursor = Effect.fnUntraced(function* (sessions: number) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly sequence: number | bigint }>`
    SELECT sequence FROM sessions WHERE principal = ${owner(sessions)}
    ORDER BY sequence LIMIT 1 OFFSET ${Math.floor(sessions / 10)}
  `
  return Cursor.encode(yield* SecretBox, owner(sessions), Number(row?.sequence))
})

const median = (values: ReadonlyArray<number>): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

const timed = Effect.fnUntraced(function* (run: Case["run"]) {
  const clock = yield* Clock.Clock
  const start = clock.currentTimeNanosUnsafe()
  yield* run
  return Number(clock.currentTimeNanosUnsafe() - start) / 1e6
})

/** Runs the cases of a group in turn, again and again, so that what else the machine does falls on all of them. */
const measure = Effect.fnUntraced(function* ({ cases, rounds, title }: Group) {
  const times = cases.map((): Array<number> => [])
  for (let round = -2; round < rounds; round++) {
    for (const [index, { run, undo = Effect.void }] of cases.entries()) {
      const millis = yield* timed(run)
      yield* undo
      if (round >= 0) times[index]?.push(millis)
    }
  }
  const medians = times.map(median)
  const base = medians[0] ?? Number.NaN
  return cases.map(
    ({ name }, index) =>
      `| ${title} | ${name} | ${medians[index]?.toFixed(2)} | ${((medians[index] ?? Number.NaN) / base).toFixed(1)} |`
  )
})

const bench = Effect.fnUntraced(function* (title: string) {
  const store = yield* SessionStore
  for (const length of lengths) {
    yield* store.create(
      writer,
      session(idOf(length)),
      Array.from({ length: length.messages }, (_, index) => says(`${index} ${text}`))
    )
    if (length.fed === undefined) continue
    const cut = { from: length.messages - length.fed, kept: [], summary: text.repeat(20), shortenedTo: 0 }
    const { lease } = yield* store.accept(writer, idOf(length), (session) => Result.succeed({ session, append: [] }))
    yield* store.commit(lease, { cut, release: true })
  }
  const turns = yield* measure({ title, rounds: 15, cases: lengths.map(turn) })
  yield* Effect.forEach(counts, fill, { discard: true })
  const places = yield* Effect.forEach(counts, (count) => Effect.map(lateCursor(count), (after) => ({ after, count })))
  const first = yield* measure({ title, rounds: 25, cases: counts.map((count) => page(count, "first", undefined)) })
  const late = yield* measure({
    title,
    rounds: 25,
    cases: places.map(({ after, count }) => page(count, "late", after))
  })
  return [...turns, ...first, ...late]
})

const over = <E>(client: Layer.Layer<SqlClient.SqlClient, E>) =>
  SqlSessionStore.layer().pipe(Layer.provideMerge(testSecrets), Layer.provideMerge(client), Layer.orDie)

const onSqlite = Effect.gen(function* () {
  const filename = yield* temporaryFile
  return yield* Effect.provide(bench("SQLite"), over(SqliteClient.layer({ filename })))
})

const onPostgres = Effect.gen(function* () {
  const url = yield* (yield* Postgres).database
  return yield* Effect.provide(bench("PostgreSQL"), over(PgClient.layer({ url: Redacted.make(url) })))
}).pipe(
  Effect.provide(Postgres.layer),
  Effect.catchCause((cause) => Effect.as(Effect.logWarning("PostgreSQL was not measured", cause), []))
)

const main = Effect.gen(function* () {
  const { format } = new Intl.DateTimeFormat("en-CA")
  const date = format(yield* Clock.currentTimeMillis)
  const rows = [...(yield* onSqlite), ...(yield* onPostgres)]
  yield* Console.log(
    [
      `${date}, ${cpus().length} cores (${cpus()[0]?.model.trim()}), Node ${process.versions.node}; medians, ratios to each group's first`,
      "",
      "| database | what | ms | ratio |",
      "|---|---|---:|---:|",
      ...rows
    ].join("\n")
  )
})

NodeRuntime.runMain(Effect.scoped(main))
