import { assert, describe, it } from "@effect/vitest"
import { decide } from "../../src/cli/ChatGrant.ts"

describe("a decision on a call", () => {
  it.each(["y", "Y", "yes", " Yes "])("is granted by %j", (typed) => {
    assert.deepStrictEqual(decide(typed), { granted: true })
  })

  it.each(["", "n", "N", "no", " No "])("is denied by %j", (typed) => {
    assert.deepStrictEqual(decide(typed), { granted: false })
  })

  it.each(["stop", "t", "true", "yesterday", "not y"])("is denied by %j, which is the reason", (typed) => {
    assert.deepStrictEqual(decide(typed), { granted: false, reason: typed })
  })
})
