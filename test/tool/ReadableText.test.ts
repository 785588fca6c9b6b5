import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { fromHtml } from "../../src/tool/ReadableText.ts"

describe("ReadableText", () => {
  it.each([
    { html: "<p>a</p><p>b</p>", text: "a\n\nb" },
    { html: "a<br>b", text: "a\nb" },
    { html: "one <b>two</b>  three", text: "one two three" },
    { html: "<style>p{}</style>x<SCRIPT>bad()</SCRIPT >y", text: "xy" },
    { html: "<script>never closed", text: "" },
    { html: "<!-- hidden -->shown<!-- open", text: "shown" },
    { html: "1 < 2 &amp; 3 &gt; 2", text: "1 < 2 & 3 > 2" },
    { html: "&#233;&#xe9;&eacute;&#0;", text: "éé&eacute;" },
    { html: "&amp;lt;", text: "&lt;" },
    { html: "<a href='x'", text: "" }
  ])("$html reads $text", ({ html, text }) => {
    assert.strictEqual(fromHtml(html), text)
  })

  it.prop(
    "reads anything",
    [Schema.Array(Schema.Literals(["<", ">", "</", "<script", "<!--", "-->", "p", " ", "&#", ";", "\n"]))],
    ([parts]) => {
      assert.isString(fromHtml(parts.join("")))
    },
    { arbitrary: { runs: 1000 } }
  )

  it("takes no longer for a page made to be slow", () => {
    assert.strictEqual(fromHtml("<script>".repeat(200_000)), "")
    assert.strictEqual(fromHtml("<!--".repeat(200_000)), "")
    assert.isAbove(fromHtml("< ".repeat(200_000)).length, 0)
  })
})
