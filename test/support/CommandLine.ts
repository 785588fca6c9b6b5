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

/** Runs `effect-aap` with these arguments, this environment and this standard input, to its end. */
export const run = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}, input?: string) =>
  Effect.callback<Ran>((resume) => {
    const child = execFile(process.execPath, [main, ...args], { env: environment(env) }, (_, stdout, stderr) =>
      resume(Effect.succeed({ code: child.exitCode ?? -1, stdout, stderr }))
    )
    if (input !== undefined) child.stdin?.end(input)
    return Effect.sync(() => void child.kill("SIGKILL"))
  })
