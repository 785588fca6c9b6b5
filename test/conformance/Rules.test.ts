import { assert, describe, it } from "@effect/vitest"
import { rules } from "../../src/conformance/Rules.ts"
import { sections } from "../../src/conformance/Section.ts"

describe("the rules", () => {
  it("are one at least for each statement, in the order of the protocol", () => {
    const told = rules.map(({ section }) => section)
    assert.deepStrictEqual(
      told.filter((section, at) => section !== told[at - 1]),
      [...sections]
    )
  })

  it("have names of their own", () => {
    assert.strictEqual(new Set(rules.map(({ id }) => id)).size, rules.length)
  })
})
