import { execFileSync, spawn, spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join, resolve } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const root = resolve(import.meta.dirname, "../..")
const readme = readFileSync(join(root, "README.md"), "utf8")
const folder = join(root, "test/output/readme")

const blocks = (language: string) =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(([, text = ""]) => text)

/** A port that is free. */
const port = await new Promise<number>((resolve) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const address = server.address()
    server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
  })
})

const programs = blocks("ts").map((text, index) => ({
  file: join(folder, `Example${index + 1}.ts`),
  text: text
    .replaceAll(/"effect-aap(?:\/(\w+))?"/g, (_, entry = "index") => `"../../../src/${entry}.ts"`)
    .replace("port: 3010", `port: ${port}`)
}))

/** A program in a process of its own, and what it complained of by the time it ended. */
const run = Effect.fnUntraced(function* (file: string) {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(process.execPath, [file], { stdio: ["ignore", "ignore", "pipe"] })),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  let text = ""
  child.stderr.setEncoding("utf8").on("data", (piece: string) => {
    text += piece
  })
  const complaint = Effect.callback<string>((resume) => void child.once("close", () => resume(Effect.sync(() => text))))
  return { child, complaint }
})

const tsconfig = { extends: "../../../tsconfig.json", include: ["*.ts"] }

describe("the README", () => {
  beforeAll(() => {
    mkdirSync(folder, { recursive: true })
    for (const { file, text } of programs) writeFileSync(file, text)
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(tsconfig))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it("has programs that compile", () => {
    assert.strictEqual(programs.length, 9)
    const compiler = execFileSync(join(root, "node_modules/.bin/effect-tsgo"), ["get-exe-path"], {
      encoding: "utf8"
    }).trim()
    const { status, stdout } = spawnSync(compiler, ["--project", join(folder, "tsconfig.json")], { encoding: "utf8" })
    assert.strictEqual(status, 0, stdout)
  })

  it("has an agent of about twenty lines", () => {
    assert.isAtMost(programs[0]?.text.trim().split("\n").length ?? 99, 25)
  })

  it.live("has an agent that answers", () =>
    Effect.gen(function* () {
      const server = yield* run(programs[0]?.file ?? "")
      const meta = yield* Effect.tryPromise(async () => (await fetch(`http://127.0.0.1:${port}/meta`)).text()).pipe(
        Effect.eventually
      )
      assert.include(meta, '"name":"forecaster"')
      assert.include(meta, '"name":"get_weather"')
      server.child.kill("SIGTERM")
      assert.strictEqual(yield* server.complaint, "")
    })
  )

  it.live("has other programs that run", () =>
    Effect.gen(function* () {
      for (const { file } of programs.slice(1)) assert.strictEqual(yield* (yield* run(file)).complaint, "")
    })
  )

  it("names every setting", () => {
    const settings = readFileSync(join(root, "src/cli/Settings.ts"), "utf8")
    const variables = [...settings.matchAll(/(?:setting|secret)\("([A-Z_]+)"/g)].map(([, name = ""]) => name)
    assert.isAbove(variables.length, 10)
    for (const variable of variables) assert.include(readme, `\`${variable}\``)
  })
})
