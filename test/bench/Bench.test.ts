import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { type Figure, median, quantile, summary } from "./Figure.ts"
import * as Plot from "./Plot.ts"
import * as Results from "./Results.ts"

const root = resolve(import.meta.dirname, "../..")

const figure: Figure = {
  group: "a group",
  name: "a < b",
  unit: "µs",
  against: "bare relay",
  compare: "ratio",
  atMost: 1.5,
  ours: [2, 9, 4],
  base: [1, 3, 4]
}

describe("a figure", () => {
  it("is told by the medians of its rounds, and compared round by round", () => {
    assert.deepStrictEqual(summary(figure), { ours: 4, base: 3, compared: 2, least: 1, most: 3 })
    const difference = summary({ ...figure, compare: "difference" })
    assert.deepStrictEqual(difference, { ours: 4, base: 3, compared: 1, least: 0, most: 6 })
  })

  it("has the mean of two in the middle, and quantiles that are among its values", () => {
    assert.strictEqual(median([4, 1, 3, 2]), 2.5)
    assert.strictEqual(quantile([1, 2, 3, 4], 0.99), 4)
    assert.strictEqual(quantile([1, 2, 3, 4], 0), 1)
  })

  it("is shown as met or missed, on the page and in the plot", () => {
    const occasion = { date: "2026-01-02", cores: 2, processor: "a chip", node: "24.0.0", load: 0.5, isQuick: false }
    const page = Results.page(occasion, [figure, { ...figure, name: "c", atMost: 2 }])
    assert.include(page, "| a < b | µs | 4.00 | 3.00 | 2.00 | 1.00 to 3.00 | 1.5: missed |")
    assert.include(page, "| c | µs | 4.00 | 3.00 | 2.00 | 1.00 to 3.00 | 2: met |")
    assert.include(Plot.svg([figure]), "a group: a &lt; b")
  })
})

describe("a quick run", () => {
  const folder = mkdtempSync(join(tmpdir(), "effect-aap-bench-test-"))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  beforeAll(() => {
    const options = { cwd: root, stdio: "ignore" } as const
    const tsc = join(root, "node_modules/typescript/bin/tsc")
    execFileSync(process.execPath, [tsc, "--project", "test/bench/tsconfig.json"], options)
    const run = join(root, "test/output/bench/test/bench/run.js")
    execFileSync(process.execPath, [run, "--quick", "--out", folder], options)
  }, 120_000)

  it("measures everything, and says that its numbers mean nothing", () => {
    const page = readFileSync(join(folder, "RESULTS.md"), "utf8")
    const rows = page.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| what"))
    const names = rows.map((row) => row.split(" | ")[0]?.slice(2))
    for (const name of [
      "CPU per delta",
      "latency p50",
      "latency p99",
      "time to `turn_start`",
      "time to the first delta",
      "memory of each, heap and buffers",
      "CPU per turn with its commits",
      "time of a turn, 100 messages",
      "its first pages",
      "its last pages"
    ]) {
      assert.include(names, name)
    }
    for (const row of rows)
      assert.match(row, /^\| [^|]+ \| \S* \| -?[\d.,]+ \| -?[\d.,]+ \| [+-]?[\d.,]+ \| \S+ to \S+ \| .*\|$/)
    assert.include(page, "A quick run")
  })

  it("draws its ratios", () => {
    const plot = readFileSync(join(folder, "results.svg"), "utf8")
    assert.match(plot, /^<svg [^>]+>\n[\s\S]*<\/svg>\n$/)
    assert.notInclude(plot, "NaN")
    assert.include(plot, "burst: CPU per delta")
  })
})
