import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { isTooDeep, maxDepth } from "../../src/history/JsonDepth.ts"

const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth)

const depthOf = (value: Schema.Json): number => {
  if (typeof value !== "object" || value === null) return 0
  const inner: ReadonlyArray<Schema.Json> = Array.isArray(value) ? value : Object.values(value)
  return 1 + Math.max(0, ...inner.map(depthOf))
}

describe("JsonDepth", () => {
  it("takes up to the limit, and no more", () => {
    assert.isFalse(isTooDeep(nested(maxDepth)))
    assert.isTrue(isTooDeep(nested(maxDepth + 1)))
    assert.isTrue(isTooDeep('{"a":'.repeat(maxDepth + 1)))
  })

  it("does not count what stands in strings", () => {
    assert.isFalse(isTooDeep(JSON.stringify("[".repeat(1000))))
    assert.isFalse(isTooDeep(JSON.stringify(`"\\${"{".repeat(1000)}`)))
    assert.isTrue(isTooDeep(`["\\\\",${nested(maxDepth)}]`))
  })

  it.prop(
    "agrees with the parsed value",
    [Schema.Json],
    ([value]) => {
      assert.strictEqual(isTooDeep(JSON.stringify(value)), depthOf(value) > maxDepth)
    },
    { arbitrary: { runs: 500 } }
  )
})
