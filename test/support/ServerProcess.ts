import { type ChildProcess, spawn } from "node:child_process"
import { join } from "node:path"
import { Effect } from "effect"
import { environment } from "./NodeProcess.ts"

/** The server in a process of its own, as `npm start` runs it. */
export interface ServerProcess {
  readonly baseUrl: string
  readonly banner: string
  /** All that it has printed by now, on either output. */
  readonly printed: () => string
  readonly kill: (signal: NodeJS.Signals) => Effect.Effect<void>
  /** The exit code, once the process has ended; `null` if a signal ended it. */
  readonly exit: Effect.Effect<number | null>
}

const main = join(import.meta.dirname, "../../src/main.ts")

/** What a process has printed, and a way to wait for more. */
const printed = (child: ChildProcess) => {
  let text = ""
  const listeners = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (piece: string) => {
      text += piece
      for (const listener of listeners) listener()
    })
  }
  child.once("close", () => {
    for (const listener of listeners) listener()
  })
  const until = (pattern: RegExp) =>
    Effect.callback<string>((resume) => {
      const check = () => {
        if (!pattern.test(text) && child.exitCode === null) return
        listeners.delete(check)
        resume(Effect.succeed(text))
      }
      listeners.add(check)
      check()
    })
  return { until, all: () => text }
}

/** Starts the server on a free port with this environment; it is killed with the scope. */
export const startServer = Effect.fnUntraced(function* (env: Readonly<Record<string, string>>) {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(process.execPath, [main], { env: environment({ PORT: "0", ...env }) })),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  const exit = Effect.callback<number | null>((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) resume(Effect.succeed(child.exitCode))
    else child.once("exit", (code) => resume(Effect.succeed(code)))
  })
  const { all, until } = printed(child)
  const banner = yield* until(/"What time is it\?"/)
  const server: ServerProcess = {
    baseUrl: /listens on (\S+)/.exec(banner)?.[1] ?? "",
    banner,
    printed: all,
    kill: (signal) => Effect.sync(() => void child.kill(signal)),
    exit
  }
  return server
})

/** Asks a server process, and gives what it answers in JSON. */
export const askProcess = (server: ServerProcess, path: string, body?: object) =>
  Effect.promise(async () => {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }
    const response = await fetch(`${server.baseUrl}${path}`, body === undefined ? {} : init)
    return { status: response.status, json: (await response.json()) as never }
  })

/** A streamed turn of a server process, read as far as is asked. */
export const streamTurn = Effect.fnUntraced(function* (server: ServerProcess, id: string, content: string) {
  const response = yield* Effect.promise(() =>
    fetch(`${server.baseUrl}/sessions/${id}/turns`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ stream: "delta", messages: [{ role: "user", content }] })
    })
  )
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let heard = ""
  const read = (isEnough: () => boolean) =>
    Effect.promise(async () => {
      while (!isEnough()) {
        const { done, value } = (await reader?.read().catch(() => ({ done: true, value: "" }))) ?? {
          done: true,
          value: ""
        }
        if (done) break
        heard += value
      }
      return heard
    })
  return {
    until: (text: string) => read(() => heard.includes(text)),
    rest: read(() => false),
    leave: Effect.promise(async () => reader?.cancel())
  }
})
