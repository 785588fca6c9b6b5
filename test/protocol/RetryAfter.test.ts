import { assert, describe, it } from "@effect/vitest"
import * as RetryAfter from "../../src/protocol/RetryAfter.ts"

describe("RetryAfter", () => {
  it.each([
    { header: "7", millis: 7000 },
    { header: " 0.5 ", millis: 500 },
    { header: "Thu, 01 Jan 1970 00:01:00 GMT", millis: 50_000 },
    { header: "Thu, 01 Jan 1970 00:00:00 GMT", millis: 0 },
    { header: "soon", millis: undefined },
    { header: "-1", millis: undefined },
    { header: "", millis: undefined },
    { header: undefined, millis: undefined }
  ])("reads $header as $millis", ({ header, millis }) => {
    assert.strictEqual(RetryAfter.parse(header, 10_000), millis)
  })
})
