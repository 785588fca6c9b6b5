import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { type ComponentChildren, isValidElement, type VNode } from "preact"
import { render, safeHref } from "../../src/playground/markdown/Markdown.tsx"

/** All elements and all text that a node is made of. */
const parts = (node: ComponentChildren): { readonly elements: ReadonlyArray<VNode>; readonly text: string } => {
  if (Array.isArray(node)) {
    const all = node.map((child: ComponentChildren) => parts(child))
    return { elements: all.flatMap(({ elements }) => elements), text: all.map(({ text }) => text).join("") }
  }
  if (!isValidElement(node)) return { elements: [], text: typeof node === "string" ? node : "" }
  const props = node.props as { readonly children?: ComponentChildren }
  const inner = parts(props.children)
  return { elements: [node, ...inner.elements], text: inner.text }
}

const textOf = (markdown: string) => parts(render(markdown)).text
const tagsOf = (markdown: string) => parts(render(markdown)).elements.map(({ type }) => type)

const allowed = new Set(
  "div p h3 h4 h5 h6 pre code section table thead tbody tr th td hr blockquote ol ul li a span strong em del br".split(
    " "
  )
)
const allowedProps = new Set(["children", "class", "scope", "start", "href", "rel", "target", "aria-label", "tabIndex"])

/** Pieces of Markdown and of HTML, which a model may put together in any way. */
const Piece = Schema.Literals([
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "<a href='javascript:alert(1)'>",
  "<svg/onload=alert(1)>",
  "</div>",
  "<!-- -->",
  "<iframe src=//evil.test>",
  "[a](javascript:alert(1))",
  "[b](https://fine.test 't')",
  "[c]: javascript:alert(1)",
  "[c]",
  "![d](https://evil.test/p.png)",
  "<https://auto.test>",
  "<javascript:alert(1)>",
  "data:text/html,x",
  "**",
  "`",
  "```\n",
  "> ",
  "- ",
  "1. ",
  "| a | b |\n|---|---|\n",
  "# ",
  "\n",
  "\n\n",
  "    ",
  "&lt;b&gt;",
  "word "
])

describe("a model's Markdown", () => {
  it.prop("makes no element but its own, and no link but a safe one", [Schema.Array(Piece)], ([pieces]) => {
    for (const { props, type } of parts(render(pieces.join(""))).elements) {
      assert.include([...allowed], type)
      for (const name of Object.keys(props)) assert.include([...allowedProps], name)
      if (type !== "a") continue
      const { href, rel } = props as { readonly href?: string; readonly rel?: string }
      assert.match(href ?? "", /^(?:https?|mailto):/)
      assert.strictEqual(rel, "noopener noreferrer")
    }
  })

  it.prop("takes any text", [Schema.String], ([text]) => {
    for (const { type } of parts(render(text)).elements) assert.include([...allowed], type)
  })

  it("shows raw HTML as text", () => {
    assert.include(textOf("<script>alert(1)</script>"), "<script>alert(1)</script>")
    assert.strictEqual(textOf("a <b>bold</b> word"), "a <b>bold</b> word")
    assert.deepStrictEqual(tagsOf("<div><h1>x</h1></div>"), ["div"])
  })

  it("shows a link that leads elsewhere as it was written", () => {
    assert.strictEqual(textOf("[click](javascript:alert(1))"), "[click](javascript:alert(1))")
    assert.notInclude(tagsOf("[click](data:text/html,x)"), "a")
    assert.notInclude(tagsOf("[click](//evil.test)"), "a")
    assert.include(tagsOf("[write](mailto:ada@example.test)"), "a")
    assert.isUndefined(safeHref("JaVaScRiPt:alert(1)"))
    assert.isUndefined(safeHref("java\nscript:alert(1)"))
  })

  it("tells of an image, and does not load it", () => {
    assert.notInclude(tagsOf("![a cat](https://evil.test/cat.png)"), "img")
    assert.strictEqual(textOf("![a cat](https://evil.test/cat.png)"), "[image: a cat] https://evil.test/cat.png")
  })

  it("spells what turns the direction of a text, and keeps the marks that scripts are written with", () => {
    assert.strictEqual(textOf("a \u202eb\u202c\n\n`\u2066c`\n\n    \u202dd"), "a \\u202eb\\u202c\\u2066c\\u202dd")
    assert.strictEqual(textOf("\u202e".repeat(100_001)), "\\u202e".repeat(100_001))
    assert.strictEqual(textOf("שלום\u200f!"), "שלום\u200f!")
  })

  it("knows lists, tables, code and emphasis", () => {
    const text = "# Title\n\n- *one*\n- **two**\n\n| a |\n|---|\n| 1 |\n\n```js\nlet x = '<b>'\n```\n\n3. third"
    const tags = tagsOf(text)
    for (const tag of ["h3", "ul", "em", "strong", "table", "th", "td", "pre", "ol"]) assert.include(tags, tag)
    assert.include(textOf(text), "let x = '<b>'")
  })

  it("survives what is nested without end", () => {
    assert.include(textOf(`${">".repeat(20_000)} deep`), "deep")
  })

  const steps = Array.from({ length: 100 }, (_, depth) => `${"  ".repeat(depth)}- x`).join("\n")
  it.each([
    { what: "numbers", text: "1. ".repeat(700) },
    { what: "points", text: "+ ".repeat(1200) },
    { what: "quotes", text: "> ".repeat(500) },
    { what: "steps", text: steps }
  ])("shows $what that are nested too deep as the text that they are", ({ text }) => {
    assert.deepStrictEqual(tagsOf(text), ["div", "p"])
    assert.strictEqual(textOf(text), text)
  })

  it("shows what is nested as people nest it, and what is long as people write", () => {
    assert.include(tagsOf(`${"> ".repeat(15)}deep`), "blockquote")
    assert.include(tagsOf("**a** ".repeat(10_000)), "strong")
    const text = `**a**${"x".repeat(100_000)}`
    assert.strictEqual(textOf(text), text)
  })
})
