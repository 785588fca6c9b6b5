import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Outcome, Result } from "../../src/conformance/Check.ts"
import * as Report from "../../src/conformance/Report.ts"

const resultOf = (outcome: Outcome): Result => ({
  rule: { id: "none", section: "3.4 Answers together", says: "It is none.", check: Effect.void },
  outcome
})

const pass = resultOf({ _tag: "Pass" })
const skipped = resultOf({ _tag: "NotApplicable", reason: "there is none" })
const fail = resultOf({
  _tag: "Fail",
  message: "it is some",
  exchanges: [
    { method: "POST", path: "/a", sent: "{}", status: 200, contentType: "text/plain", received: "one\ntwo\n" },
    { method: "GET", path: "/b", received: "" }
  ]
})

describe("a report", () => {
  it("has a row for each rule, with what is wrong below it", () => {
    assert.strictEqual(Report.row(pass, 6), "pass  none    3.4 Answers together    It is none.")
    assert.strictEqual(Report.row(skipped, 6), "n/a   none    3.4 Answers together    It is none. (there is none)")
    assert.strictEqual(Report.row(fail, 6), "FAIL  none    3.4 Answers together    It is none.\n      it is some")
  })

  it("shows what was sent and answered for what is broken", () => {
    assert.deepStrictEqual(Report.exchanges(pass), [])
    assert.deepStrictEqual(Report.exchanges(fail), [
      "none: it is some\n\n> POST /a\n> {}\n< 200 text/plain\n< one\n< two\n\n> GET /b\n< (no answer)"
    ])
  })

  it("counts, and is sound where nothing failed", () => {
    assert.strictEqual(Report.summary([pass, pass, skipped, fail]), "2 passed, 1 failed, 1 not applicable")
    assert.isTrue(Report.isSound([pass, skipped]))
    assert.isFalse(Report.isSound([pass, fail]))
  })
})
