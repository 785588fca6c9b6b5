import { readFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"

const root = resolve(import.meta.dirname, "../../src")

/** What a file imports, and what that imports in turn: our files, and packages by their names. */
const closure = (file: string, seen = new Set<string>()): ReadonlySet<string> => {
  if (seen.has(file)) return seen
  seen.add(file)
  for (const [, name = ""] of readFileSync(file, "utf8").matchAll(/^(?:import|export)[^"]*? from "([^"]+)"/gm)) {
    if (name.startsWith(".")) closure(join(dirname(file), name), seen)
    else seen.add(name)
  }
  return seen
}

describe("the client", () => {
  it("needs nothing but effect, so it runs in a browser", () => {
    const all = [...closure(join(root, "client.ts"))]
    const packages = all.filter((name) => !name.startsWith(root))
    assert.isAbove(all.length, 20)
    assert.deepStrictEqual(
      packages.filter((name) => !/^effect(?:\/|$)/.test(name)),
      []
    )
    const floors = new Set(all.flatMap((name) => /^(\w+)\//.exec(name.slice(root.length + 1))?.[1] ?? []))
    assert.deepStrictEqual([...floors].sort(), ["client", "history", "protocol"])
  })
})
