import { spawn } from "node:child_process"
import { join } from "node:path"
import { stripVTControlCharacters } from "node:util"
import { Effect } from "effect"

const main = join(import.meta.dirname, "../../src/main.ts")

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

/** How `script`, of the base system, runs a command in a pseudo-terminal: of util-linux, or of BSD as macOS has it. */
const scriptArguments = (command: ReadonlyArray<string>): ReadonlyArray<string> =>
  process.platform === "darwin"
    ? ["-q", "/dev/null", ...command]
    : ["-qefc", command.map(quoted).join(" "), "/dev/null"]

/** `effect-aap` as somebody sits before it. */
export interface PseudoTerminal {
  readonly type: (keys: string) => Effect.Effect<void>
  /** Pastes a text, as a terminal does that marks what is pasted. */
  readonly paste: (text: string) => Effect.Effect<void>
  /** Waits until a text is shown after what was waited for before, and gives all up to it, without escape sequences. */
  readonly until: (text: string) => Effect.Effect<string>
  /** All that was written, as it was written. */
  readonly written: Effect.Effect<string>
  /** The exit code, once the command has ended. */
  readonly exit: Effect.Effect<number | null>
}

/** Runs `effect-aap` with these arguments in a pseudo-terminal; it is ended with the scope. */
export const openTerminal = Effect.fnUntraced(function* (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {}
) {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn("script", scriptArguments([process.execPath, main, ...args]), {
        env: { PATH: process.env["PATH"], TERM: "xterm", SHELL: "/bin/sh", ...env }
      })
    ),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  let text = ""
  let seen = 0
  let failure: Error | undefined
  const listeners = new Set<() => void>()
  const tell = () => {
    for (const listener of listeners) listener()
  }
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    text += piece
    tell()
  })
  child.once("error", (error) => {
    failure = error
    tell()
  })
  child.once("close", tell)
  const waitFor = <A>(check: () => Effect.Effect<A> | undefined) =>
    Effect.callback<A>((resume) => {
      const listener = () => {
        const found = failure === undefined ? check() : Effect.die(failure)
        if (found === undefined) return
        listeners.delete(listener)
        resume(found)
      }
      listeners.add(listener)
      listener()
      return Effect.sync(() => void listeners.delete(listener))
    })
  const until = (expected: string) =>
    waitFor(() => {
      const shown = stripVTControlCharacters(text)
      const at = shown.indexOf(expected, seen)
      if (at === -1) {
        return child.exitCode === null
          ? undefined
          : Effect.die(new Error(`the command ended before it showed "${expected}": ${shown.slice(seen)}`))
      }
      const before = shown.slice(seen, at + expected.length)
      seen = at + expected.length
      return Effect.succeed(before)
    })
  const type = (keys: string) => Effect.sync(() => void child.stdin.write(keys))
  const terminal: PseudoTerminal = {
    type,
    paste: (text) => type(`\x1b[200~${text.replaceAll("\n", "\r")}\x1b[201~`),
    until,
    written: Effect.sync(() => text),
    exit: waitFor(() => (child.exitCode === null ? undefined : Effect.succeed(child.exitCode)))
  }
  return terminal
})
