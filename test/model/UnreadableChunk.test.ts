import { assert, describe, it } from "@effect/vitest"
import * as UnreadableChunk from "../../src/model/UnreadableChunk.ts"

describe("the error of a chunk that cannot be read", () => {
  it("quotes nothing that may be of an answer", () => {
    const { message } = UnreadableChunk.make("chunk of an API", '{"choices":[{"delta":{"content":"a secret"')
    assert.strictEqual(message, "the model server sent no chunk of an API, but 42 characters of another shape")
  })

  it("shows the page of another server", () => {
    const { message } = UnreadableChunk.make("chunk of an API", "\n<html><title>Sign in</title></html>")
    assert.include(message, "<title>Sign in</title>")
  })
})
