import { assert, describe, it } from "@effect/vitest"
import { addressProblem } from "../../src/playground/Connection.ts"

describe("the address of a server", () => {
  it.each(["http://127.0.0.1:3010", " https://agents.test/prefix ", "HTTP://localhost"])("may be %s", (text) =>
    assert.isUndefined(addressProblem(text))
  )

  it.each(["", "ftp://agents.test", "localhost:3010", "agents.test", "file:///etc", "javascript:alert(1)", "http://"])(
    "is not %j, and what would be right is told",
    (text) => assert.include(addressProblem(text), "begins with http:// or https://")
  )
})
