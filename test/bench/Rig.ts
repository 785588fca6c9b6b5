import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, type Scope } from "effect"
import * as Child from "./Child.ts"

/** One of those that are measured: the server, the bare relay, or the same relay on Effect's HTTP. */
export interface Target {
  readonly name: "server" | "relay" | "platform"
  readonly child: Child.Child
}

/** All processes of the benchmark. */
export interface Rig {
  readonly model: Child.Child
  readonly load: Child.Child
  readonly server: Target
  readonly relay: Target
  readonly platform: Target
  /** The server once more, set up to feed the model no more than the last of a history. */
  readonly windowed: Target
  /** The file of the server's database. */
  readonly database: string
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
  const platform = yield* Child.start("EffectRelay", { args: [String(model.port)], execArgv })
  const startServer = (name: string, env: Readonly<Record<string, string>>) =>
    Child.start("Subject", {
      execArgv,
      env: {
        PORT: "0",
        AAP_MODEL: "openai/mock",
        OPENAI_BASE_URL: `http://127.0.0.1:${model.port}/v1`,
        DATABASE_URL: `sqlite:${join(folder, name)}`,
        AAP_PLAYGROUND: "off",
        ...env
      }
    })
  const server = yield* startServer("aap.db", { AAP_COMPACTION: "none" })
  const windowed = yield* startServer("windowed.db", { AAP_COMPACTION: "window", AAP_COMPACT_ABOVE: "4000" })
  return {
    model,
    load,
    database: join(folder, "aap.db"),
    server: { name: "server", child: server },
    relay: { name: "relay", child: relay },
    platform: { name: "platform", child: platform },
    windowed: { name: "server", child: windowed }
  }
})

/** What is asked for. */
interface Asked {
  readonly mode: "stream" | "whole"
  readonly model: string
  readonly count: number
  readonly concurrency: number
  /** The sessions whose turns these are; new ones where absent. */
  readonly sessions?: ReadonlyArray<string>
}

const says = [{ role: "user", content: "Go on." }]

/** Creates sessions of these messages, and answers their ids. */
export const create = Effect.fnUntraced(function* (
  { load }: Rig,
  { child }: Target,
  model: string,
  count: number,
  messages: ReadonlyArray<{ readonly role: string; readonly content: string }> = []
) {
  const body = JSON.stringify({ agent: { name: "assistant", options: { model } }, messages })
  const bodies = Array.from({ length: count }, () => body)
  return (yield* Child.load(load, { kind: "create", port: child.port, bodies })) as ReadonlyArray<string>
})

/** Opens so many streams, or asks for so many whole answers, of a model; the server's sessions are made beforehand. */
export const open = Effect.fnUntraced(function* (rig: Rig, target: Target, asked: Asked) {
  const { load } = rig
  const { child, name } = target
  const { concurrency, count, mode, model, sessions } = asked
  const kind = mode === "stream" ? "turns" : "none"
  const ids = name !== "server" ? [] : (sessions ?? (yield* create(rig, target, model, count)))
  const paths =
    name !== "server"
      ? Array.from({ length: count }, () => `/${kind}/${model}`)
      : ids.map((id) => `/sessions/${id}/turns`)
  yield* Child.tally(load)
  const before = yield* Child.usage(child)
  const stream = mode === "stream" ? "delta" : "none"
  const turn = JSON.stringify({ stream, messages: says })
  yield* Child.load(load, { kind: "open", port: child.port, mode, paths, body: turn, concurrency })
  return before
})

/** Waits for the end of what is open. */
export const finish = ({ load }: Rig) => Child.load(load, { kind: "finish" })
