import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, type Scope } from "effect"
import * as Child from "./Child.ts"

/** One of the two that are measured. */
export interface Target {
  readonly name: "server" | "relay"
  readonly child: Child.Child
}

/** All processes of the benchmark. */
export interface Rig {
  readonly model: Child.Child
  readonly load: Child.Child
  readonly server: Target
  readonly relay: Target
  /** Where the server's database is. */
  readonly folder: string
}

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "effect-aap-bench-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** Starts all of them; `profile` is where the measured ones leave CPU profiles, if anywhere. */
export const start = Effect.fnUntraced(function* (profile?: string): Effect.fn.Return<Rig, never, Scope.Scope> {
  const folder = yield* temporaryFolder
  const execArgv = profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`]
  const model = yield* Child.start("MockModel")
  const load = yield* Child.start("Load")
  const relay = yield* Child.start("Relay", { args: [String(model.port)], execArgv })
  const server = yield* Child.start("Subject", {
    execArgv,
    env: {
      PORT: "0",
      AAP_MODEL: "openai/mock",
      OPENAI_BASE_URL: `http://127.0.0.1:${model.port}/v1`,
      DATABASE_URL: `sqlite:${join(folder, "aap.db")}`,
      AAP_COMPACTION: "none",
      AAP_PLAYGROUND: "off"
    }
  })
  return {
    model,
    load,
    folder,
    server: { name: "server", child: server },
    relay: { name: "relay", child: relay }
  }
})

const says = [{ role: "user", content: "Go on." }]

/** Opens so many streams, or asks for so many whole answers, of a model; the server's sessions are made beforehand. */
export const open = Effect.fnUntraced(function* (
  { load }: Rig,
  { child, name }: Target,
  asked: {
    readonly mode: "stream" | "whole"
    readonly model: string
    readonly count: number
    readonly concurrency: number
  }
) {
  const { concurrency, count, mode, model } = asked
  const body = { agent: { name: "assistant", options: { model } } }
  const bodies = Array.from({ length: count }, () => JSON.stringify(body))
  const kind = mode === "stream" ? "turns" : "none"
  const paths =
    name === "relay"
      ? bodies.map(() => `/${kind}/${model}`)
      : ((yield* Child.load(load, { kind: "create", port: child.port, bodies })) as ReadonlyArray<string>).map(
          (id) => `/sessions/${id}/turns`
        )
  yield* Child.tally(load)
  const before = yield* Child.usage(child)
  const stream = mode === "stream" ? "delta" : "none"
  const turn = JSON.stringify({ stream, messages: says })
  yield* Child.load(load, { kind: "open", port: child.port, mode, paths, body: turn, concurrency })
  return before
})

/** Waits for the end of what is open. */
export const finish = ({ load }: Rig) => Child.load(load, { kind: "finish" })
