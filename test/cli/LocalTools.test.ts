import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { Permission } from "../../src/client/ClientSession.ts"
import * as LocalTools from "../../src/cli/LocalTools.ts"
import type { JsonObject } from "../../src/protocol/Content.ts"
import { temporaryFolder } from "../support/TemporaryFile.ts"

/** What comes of a call of a local tool, where this is decided on it. */
const call = (name: string, input: JsonObject, permission: Permission = { granted: true }) =>
  Effect.gen(function* () {
    const asked: Array<string> = []
    const tools = LocalTools.make(({ name }) =>
      Effect.as(
        Effect.sync(() => asked.push(name)),
        permission
      )
    )
    const tool = tools.find(({ spec }) => spec.name === name)
    const content = yield* tool?.run({ toolCallId: "1", name, input }) ?? Effect.die("no such tool")
    assert.deepStrictEqual(asked, [name])
    return String(content)
  }).pipe(Effect.provide(NodeServices.layer))

describe("read_file", () => {
  it.live("reads text, and says what it does not read", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const path = join(folder, "note.txt")
      const reads = (content: string | Uint8Array) =>
        Effect.andThen(
          Effect.sync(() => writeFileSync(path, content)),
          call("read_file", { path })
        )
      assert.strictEqual(yield* reads("remember the milk\n"), "remember the milk\n")
      assert.strictEqual(yield* reads("x".repeat(200_000)), "x".repeat(200_000))
      assert.include(yield* reads("x".repeat(200_001)), "has 200001 bytes; at most 200000 are read")
      assert.include(yield* reads(new Uint8Array([0xff, 0xfe])), "no text in UTF-8")
      assert.include(yield* reads("a\0b"), "is no text")
      mkdirSync(join(folder, "deep"))
      assert.include(yield* call("read_file", { path: join(folder, "deep") }), "is no file")
      assert.include(yield* call("read_file", { path: join(folder, "none") }), "NotFound")
      assert.include(yield* call("read_file", {}), "The input of read_file does not fit.")
      const denied = yield* call("read_file", { path }, { granted: false, reason: "mine" })
      assert.strictEqual(denied, "Tool call denied: mine")
    })
  )
})

describe("run_command", () => {
  it.live("gives the exit code and the output of both streams", () =>
    Effect.gen(function* () {
      const said = yield* call("run_command", { command: "echo out; echo err >&2; cat; exit 3" })
      assert.match(said, /^exit code 3\n/)
      for (const line of ["out\n", "err\n"]) assert.include(said, line)
    })
  )

  it.live("cuts long output, and keeps no more of it than it must", () =>
    Effect.gen(function* () {
      const said = yield* call("run_command", { command: "head -c 1000000 /dev/zero | tr '\\0' x" })
      assert.match(said, /^exit code 0\nx{30000}… \(\d+ more characters\)\n\(1000000 characters in all\)$/)
    })
  )

  it.live("ends a command at its time, with what it has started", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryFolder, "pid")
      const command = `echo so far; sleep 600 & echo $! > '${path}'; wait`
      const said = yield* call("run_command", { command, timeoutSeconds: 1 })
      assert.include(said, "the command was ended: it ran for longer than 1 s\nso far\n")
      const pid = readFileSync(path, "utf8").trim()
      assert.match(pid, /^\d+$/)
      assert.match(yield* call("run_command", { command: `kill -0 ${pid}` }), /^exit code [^0]/)
    })
  )

  it.live("ends with its shell, though what that has started goes on and holds its output", () =>
    Effect.gen(function* () {
      const said = yield* call("run_command", { command: "echo begun; sleep 600 & exit 3", timeoutSeconds: 600 })
      assert.strictEqual(said, "exit code 3\nbegun\n")
    })
  )

  it.live("says that a signal has ended it, and what it had written", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* call("run_command", { command: "echo so far; kill -9 $$" }),
        "ended by a signal\nso far\n"
      )
    })
  )

  it.live("keeps characters whole that come in two pieces, with something of the other stream between", () =>
    Effect.gen(function* () {
      const command = "printf '\\303'; sleep 0.05; printf x >&2; sleep 0.05; printf '\\251'"
      assert.include(["exit code 0\nxé", "exit code 0\néx"], yield* call("run_command", { command }))
    })
  )

  it.live("runs nothing that is denied", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryFolder, "ran")
      assert.strictEqual(
        yield* call("run_command", { command: `touch '${path}'` }, { granted: false }),
        "Tool call denied"
      )
      assert.isFalse(existsSync(path))
    })
  )

  it.live("ends with its call", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryFolder, "pipe")
      const ran = yield* call("run_command", { command: `mkfifo '${path}'` })
      assert.strictEqual(ran, "exit code 0\n")
      const fiber = yield* Effect.forkChild(call("run_command", { command: `echo $$ > '${path}'; exec sleep 600` }))
      const pid = (yield* call("run_command", { command: `cat '${path}'` })).split("\n")[1] ?? ""
      assert.match(pid, /^\d+$/)
      yield* Fiber.interrupt(fiber)
      assert.match(yield* call("run_command", { command: `kill -0 ${pid}` }), /^exit code [^0]/)
    })
  )
})

describe("a call whose run was interrupted", () => {
  it.live("is not run again, and is told as it is", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryFolder, "pipe")
      yield* call("run_command", { command: `mkfifo '${path}'` })
      const tools = LocalTools.make(() => Effect.succeed({ granted: true }))
      const input = { command: `echo x > '${path}'; exec sleep 600` }
      const run = Effect.suspend(
        () =>
          tools.find(({ spec }) => spec.name === "run_command")?.run({ toolCallId: "1", name: "run_command", input }) ??
          Effect.die("no such tool")
      )
      const running = yield* Effect.forkChild(run)
      yield* call("run_command", { command: `cat '${path}'` })
      yield* Fiber.interrupt(running)
      assert.strictEqual(yield* run, "It was interrupted: what it did is not known.")
    }).pipe(Effect.provide(NodeServices.layer))
  )
})
