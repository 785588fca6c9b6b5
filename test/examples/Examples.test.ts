import { execFile } from "node:child_process"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { environment } from "../support/NodeProcess.ts"
import { type ServerProcess, startServer } from "../support/ServerProcess.ts"

/** An example's output, run as its reader would run it. */
const run = (name: string, { baseUrl }: ServerProcess) =>
  Effect.callback<string>((resume) => {
    const child = execFile(
      process.execPath,
      ["--conditions=effect-aap-source", join(import.meta.dirname, name)],
      { env: environment({ AAP_URL: baseUrl }) },
      (error, stdout, stderr) =>
        resume(error === null ? Effect.succeed(stdout + stderr) : Effect.die(new Error(stderr)))
    )
    return Effect.sync(() => void child.kill("SIGKILL"))
  })

describe("the examples", () => {
  it.live("of plain TypeScript runs a tool, asks for permission, and streams the answer", () =>
    Effect.gen(function* () {
      const text = yield* run("plain.ts", yield* startServer({ DATABASE_URL: "memory:" }))
      assert.include(text, "[calls get_weather]\n")
      assert.include(text, "[granted: true]\n")
      assert.match(
        text,
        /current_time says: .*\n?get_weather says: Oslo: 18°C, cloudy|get_weather says: Oslo: 18°C, cloudy\n?.*current_time says/s
      )
      assert.match(text, /\[5 messages\]\n$/)
    })
  )

  it.live("of Effect does the same", () =>
    Effect.gen(function* () {
      const text = yield* run("effect.ts", yield* startServer({ DATABASE_URL: "memory:" }))
      assert.include(text, "get_weather says: Oslo: 18°C, cloudy")
      assert.include(text, "current_time says: ")
    })
  )
})
