import { execFileSync, spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"

const root = resolve(import.meta.dirname, "../..")
const project = mkdtempSync(join(tmpdir(), "effect-aap-gate-"))

const write = (path: string, text: string) => {
  mkdirSync(dirname(join(project, path)), { recursive: true })
  writeFileSync(join(project, path), text)
}

const run = (command: string, ...args: ReadonlyArray<string>) => {
  const { stderr, stdout } = spawnSync(join(root, "node_modules/.bin", command), args, {
    cwd: project,
    encoding: "utf8"
  })
  return stdout + stderr
}

const html = "export const Html = () => <p dangerouslySetInnerHTML={{ __html: '' }} />\n"

/** Sources that break one rule each, and the rule. */
const refused = [
  { rule: "noExplicitAny", path: "src/history/Any.ts", text: "export const f = (x: any): unknown => x\n" },
  { rule: "noConsole", path: "src/history/Console.ts", text: 'console.log("here")\n' },
  { rule: "noFloatingPromises", path: "src/history/Promise.ts", text: "const f = async () => 1\nf()\n" },
  { rule: "noImportCycles", path: "src/history/A.ts", text: 'import { b } from "./B.ts"\nexport const a = () => b\n' },
  { rule: "noRestrictedImports", path: "src/history/Up.ts", text: 'export * from "../turn/Turn.ts"\n' },
  { rule: "noRestrictedImports", path: "src/telemetry/Up.ts", text: 'export * from "../history/A.ts"\n' },
  { rule: "noRestrictedImports", path: "src/session/Across.ts", text: 'export * from "../tool/Tool.ts"\n' },
  { rule: "noRestrictedImports", path: "src/protocol/Ours.ts", text: 'export * from "../history/A.ts"\n' },
  { rule: "noRestrictedImports", path: "src/turn/Http.ts", text: 'export * from "effect/http"\n' },
  { rule: "noRestrictedImports", path: "src/playground/Turn.ts", text: 'export * from "../turn/Turn.ts"\n' },
  { rule: "noRestrictedImports", path: "src/playground/chat/Up.ts", text: 'export * from "../../server/Server.ts"\n' },
  { rule: "noDangerouslySetInnerHtml", path: "src/playground/Html.tsx", text: html },
  { rule: "noRestrictedImports", path: "src/client/Server.ts", text: 'export * from "../server/Server.ts"\n' }
]

describe("the gate", () => {
  beforeAll(() => {
    for (const file of ["biome.json", "tsconfig.json"]) cpSync(join(root, file), join(project, file))
    symlinkSync(join(root, "node_modules"), join(project, "node_modules"))
    for (const { path, text } of refused) write(path, text)
    write("src/history/B.ts", 'import { a } from "./A.ts"\nexport const b = () => a\n')
    write("src/history/Fine.ts", 'export type { Meta } from "../protocol/Meta.ts"\n')
    write("src/floating/Effect.ts", 'import { Effect } from "effect"\nEffect.log("nobody runs me")\n')
  })
  afterAll(() => rmSync(project, { recursive: true, force: true }))

  it.each(refused)("refuses $path by $rule", ({ path, rule }) => {
    assert.include(run("biome", "lint", "--colors=off", path), rule)
  })

  it("takes what breaks no rule", () => {
    assert.notInclude(run("biome", "lint", "--colors=off", "src/history/Fine.ts"), "lint/")
  })

  /** A registry that serves one platform alone makes npm leave the others out of the lock, and `npm ci` refuse it. */
  it("has every optional package of every platform in its lock", () => {
    const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
      readonly packages: Record<
        string,
        { readonly optionalDependencies?: Record<string, string>; readonly resolved?: string }
      >
    }
    const optional = Object.values(packages).flatMap(({ optionalDependencies = {} }) =>
      Object.keys(optionalDependencies)
    )
    assert.isAbove(optional.length, 10)
    for (const name of optional) assert.property(packages, `node_modules/${name}`)
    for (const { resolved } of Object.values(packages)) assert.isUndefined(resolved)
  })

  it("has no file in which two versions were left for somebody to choose", () => {
    const files = execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8" }).split("\0")
    const marked = files.filter(
      (file) => /\.(?:ts|md|json)$/.test(file) && /^(?:<{7}|>{7}) /m.test(readFileSync(join(root, file), "utf8"))
    )
    assert.deepStrictEqual(marked, [])
    assert.include(files, "CHANGELOG.md")
  })

  it("refuses an effect that nobody runs", () => {
    const compiler = execFileSync(join(root, "node_modules/.bin/effect-tsgo"), ["get-exe-path"], { encoding: "utf8" })
    const { status, stdout } = spawnSync(compiler.trim(), ["--project", "tsconfig.json"], {
      cwd: project,
      encoding: "utf8"
    })
    assert.include(stdout, "effect(floatingEffect)")
    assert.notStrictEqual(status, 0)
  })
})
