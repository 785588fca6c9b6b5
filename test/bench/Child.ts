import { type ChildProcess, fork } from "node:child_process"
import { Effect, type Scope } from "effect"
import type { Answer, Usage } from "./Control.ts"
import type { LoadAsk, Tally } from "./LoadAsk.ts"

/** A process of the benchmark, started by another. */
export interface Child {
  /** The port that it listens on; 0 for none. */
  readonly port: number
  readonly ask: (ask: unknown) => Effect.Effect<unknown>
}

/** How a process is started. */
export interface ChildOptions {
  readonly args?: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  readonly execArgv?: ReadonlyArray<string>
}

const begin = (name: string, { args = [], env = {}, execArgv = [] }: ChildOptions): ChildProcess =>
  fork(new URL(`./${name}.js`, import.meta.url), [...args], {
    execArgv: ["--expose-gc", ...execArgv],
    env: { PATH: process.env["PATH"], NODE_ENV: "production", ...env },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    serialization: "advanced"
  })

const ended = (child: ChildProcess): Effect.Effect<void> =>
  Effect.callback((resume) => {
    child.once("exit", () => resume(Effect.void))
    if (child.connected) child.disconnect()
    if (child.exitCode !== null || child.signalCode !== null) resume(Effect.void)
  })

/** Starts a module of this folder as a process; it has ended when the scope has. A process that dies is a defect. */
export const start = Effect.fnUntraced(function* (
  name: string,
  options: ChildOptions = {}
): Effect.fn.Return<Child, never, Scope.Scope> {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => begin(name, options)),
    ended
  )
  let last = 0
  const answerTo = (id: number) =>
    Effect.callback<unknown>((resume) => {
      const onExit = () => resume(Effect.die(new Error(`${name} died`)))
      const onMessage = (message: unknown) => {
        const { answer, id: answered } = message as Answer
        if (answered === id) resume(Effect.succeed(answer))
      }
      child.on("message", onMessage).once("exit", onExit)
      return Effect.void
    }).pipe(Effect.ensuring(Effect.sync(() => child.removeAllListeners("message").removeAllListeners("exit"))))
  const port = Number(yield* answerTo(0))
  const ask = (ask: unknown) =>
    Effect.suspend(() => {
      const id = ++last
      child.send({ id, ask })
      return answerTo(id)
    })
  return { port, ask }
})

/** What a process has taken so far. */
export const usage = (child: Child): Effect.Effect<Usage> => Effect.map(child.ask("usage"), (answer) => answer as Usage)

/** The same, once its garbage is collected. */
export const collected = (child: Child): Effect.Effect<Usage> =>
  Effect.map(child.ask("collected"), (answer) => answer as Usage)

/** Asks the load generator. */
export const load = (child: Child, ask: LoadAsk): Effect.Effect<unknown> => child.ask(ask)

/** What the load generator has counted since the last time. */
export const tally = (child: Child): Effect.Effect<Tally> =>
  Effect.map(load(child, { kind: "tally" }), (answer) => answer as Tally)
