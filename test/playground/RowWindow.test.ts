import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { rowWindow } from "../../src/playground/sessions/RowWindow.ts"

const upTo = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))

const rowHeight = 52

describe("the rows that are there", () => {
  it.prop(
    "are all that are seen, and few more",
    [upTo(50_000), upTo(3_000_000), upTo(2000)],
    ([rows, scrolled, height]) => {
      const scrollTop = Math.min(scrolled, Math.max(0, rows * rowHeight - height))
      const { end, first } = rowWindow({ rows, rowHeight, scrollTop, height })
      assert.isAtLeast(first, 0)
      assert.isAtMost(first, end)
      assert.isAtMost(end, rows)
      assert.isAtMost(first * rowHeight, scrollTop)
      assert.isAtLeast(end * rowHeight, Math.min(rows * rowHeight, scrollTop + height))
      assert.isAtMost(end - first, height / rowHeight + 22)
    },
    { arbitrary: { runs: 2000, seed: "rows" } }
  )

  it("are the last ones where the list has become shorter than it was scrolled", () => {
    const { end, first } = rowWindow({ rows: 5, rowHeight, scrollTop: 100_000, height: 520 })
    assert.deepStrictEqual([first, end], [0, 5])
  })
})
