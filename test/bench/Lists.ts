import { DatabaseSync } from "node:sqlite"
import { Console, Effect } from "effect"
import * as Child from "./Child.ts"
import type { Figure } from "./Figure.ts"
import * as Rig from "./Rig.ts"
import type { Size } from "./Sizes.ts"

/** How many pages are read at either end of a list. */
const pages = 20

const columns =
  "principal, agent, tools, pending, next_position, fence, commits, lease_expires_at, touched_at, turns, created_at"

/** Copies a session until there are so many, by SQL alone. */
const fill = (filename: string, id: string, sessions: number) =>
  Effect.sync(() => {
    const database = new DatabaseSync(filename, { timeout: 5000 })
    const [row] = database.prepare("SELECT count(*) AS count FROM sessions").all()
    const missing = Math.max(0, sessions - Number(row?.["count"]))
    database
      .prepare(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
         INSERT INTO sessions (id, ${columns}) SELECT 'copy_' || ? || '_' || n.i, ${columns} FROM n, sessions WHERE id = ?`
      )
      .run(missing, sessions, id)
    database.close()
  })

/** How long the first and the last pages of the list take, by how many sessions there are. */
export const measure = Effect.fnUntraced(function* (rig: Rig.Rig, { sessions: [few, many] }: Size) {
  const { load, server } = rig
  yield* Console.error("measuring: lists")
  const [id = ""] = yield* Rig.create(rig, server, "burst:20", 1)
  const walk = Effect.map(
    Child.load(load, { kind: "walk", port: server.child.port, pages: Number.POSITIVE_INFINITY }),
    (times) => (times as ReadonlyArray<number>).slice(0, -1)
  )
  yield* fill(rig.database, id, few)
  yield* walk
  const short = (yield* walk).slice(0, pages)
  yield* fill(rig.database, id, many)
  const long = yield* walk
  const figure = (name: string, ours: ReadonlyArray<number>): Figure => ({
    group: `a list of ${many.toLocaleString("en")} sessions`,
    name,
    unit: "ms",
    against: `a list of ${few.toLocaleString("en")} sessions or more`,
    compare: "ratio",
    ours,
    base: short.slice(0, ours.length)
  })
  return [figure("its first pages", long.slice(0, short.length)), figure("its last pages", long.slice(-short.length))]
})
