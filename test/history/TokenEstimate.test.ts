import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as TokenEstimate from "../../src/history/TokenEstimate.ts"

describe("TokenEstimate", () => {
  it.prop("counts the bytes of UTF-8", { text: Schema.String }, ({ text }) => {
    assert.strictEqual(TokenEstimate.ofText(text), Math.ceil(Buffer.byteLength(text) / 4))
  })

  it.each([
    { what: "text", content: "x".repeat(40), tokens: 14 },
    { what: "an image", content: [{ type: "image", url: "https://example.test/a.png" }], tokens: 1504 },
    { what: "Chinese", content: "工具调用被拒绝", tokens: 10 }
  ] as const)("takes $what for $tokens tokens", ({ content, tokens }) => {
    assert.strictEqual(TokenEstimate.ofMessage({ role: "user", content }), tokens)
  })

  it("counts thinking and calls", () => {
    const content = [
      { type: "thinking", thinking: "x".repeat(40) },
      { type: "tool_use", toolCallId: "a", name: "look", input: { at: "it" } }
    ] as const
    assert.strictEqual(TokenEstimate.ofMessage({ role: "assistant", content }), 4 + 10 + 1 + 3)
  })
})
