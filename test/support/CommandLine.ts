import { execFile } from "node:child_process"
import { join } from "node:path"
import { Effect } from "effect"
import { environment } from "./NodeProcess.ts"

const main = join(import.meta.dirname, "../../src/main.ts")

/** What a command has printed, and its exit code. */
export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs `effect-aap` until it has printed something, and then sends it a signal. */
export const interrupt = (args: ReadonlyArray<string>, signal: NodeJS.Signals) =>
  Effect.callback<Ran>((resume) => {
    const child = execFile(process.execPath, [main, ...args], { env: environment({}) }, (_, stdout, stderr) =>
      resume(Effect.succeed({ code: child.exitCode ?? -1, stdout, stderr }))
    )
    child.stdout?.once("data", () => child.kill(signal))
    return Effect.sync(() => void child.kill("SIGKILL"))
  })

/** Runs `effect-aap` whose output nobody takes any more once it has begun. */
export const unheard = (args: ReadonlyArray<string>) =>
  Effect.callback<Omit<Ran, "stdout">>((resume) => {
    const child = execFile(process.execPath, [main, ...args], { env: environment({}) }, (_, __, stderr) =>
      resume(Effect.succeed({ code: child.exitCode ?? -1, stderr }))
    )
    child.stdout?.once("data", () => child.stdout?.destroy())
    return Effect.sync(() => void child.kill("SIGKILL"))
  })

/** Runs `effect-aap` with these arguments, this environment and this on its standard input, to its end. The input stays open, but for `null`. */
export const run = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}, input?: string | null) =>
  Effect.callback<Ran>((resume) => {
    const child = execFile(process.execPath, [main, ...args], { env: environment(env) }, (_, stdout, stderr) =>
      resume(Effect.succeed({ code: child.exitCode ?? -1, stdout, stderr }))
    )
    if (input === null) child.stdin?.end()
    else if (input !== undefined) child.stdin?.write(input)
    return Effect.sync(() => void child.kill("SIGKILL"))
  })
