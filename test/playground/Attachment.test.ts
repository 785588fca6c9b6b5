import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Attachment from "../../src/playground/chat/Attachment.ts"
import { InputContent } from "../../src/protocol/Content.ts"

const image = { name: "dot.png", size: 3, url: "data:image/png;base64,QUJD" }
const file = { name: "dot.png", type: "image/png", size: 3 }

describe("an image that goes with a message", () => {
  it.each([
    { what: "another kind", candidate: { ...file, type: "image/svg+xml" }, says: "no PNG, JPEG, GIF or WebP" },
    { what: "an empty file", candidate: { ...file, size: 0 }, says: "empty" },
    { what: "a large file", candidate: { ...file, size: Attachment.limit + 100_000 }, says: "7.1 MB" }
  ])("is not $what, and that is said", ({ candidate, says }) => {
    assert.include(Attachment.problemOf(candidate, []), says)
  })

  it("has its size counted with the others'", () => {
    const half = { ...file, size: Attachment.limit / 2 }
    assert.isUndefined(Attachment.problemOf(half, [{ ...image, size: half.size }]))
    assert.include(Attachment.problemOf(half, [{ ...image, size: half.size + 100_000 }]), "a message may have 7.0 MB")
  })

  it("stands before the text, as the protocol has it", () => {
    const content = Attachment.toContent("What is this?", [image])
    assert.deepStrictEqual(Schema.decodeSync(InputContent)(content), [
      { type: "image", url: image.url },
      { type: "text", text: "What is this?" }
    ])
    assert.deepStrictEqual(Attachment.toContent(" ", [image]), [{ type: "image", url: image.url }])
    assert.strictEqual(Attachment.toContent("plain", []), "plain")
  })
})
