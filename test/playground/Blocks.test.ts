import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { lexer } from "marked"
import * as Blocks from "../../src/playground/markdown/Blocks.ts"

/** Pieces of Markdown as a model may send them: cut anywhere, in lines and in marks. */
const Piece = Schema.Literals([
  "word ",
  "word\n\n",
  "\n\nword\n",
  "a",
  "\n",
  "\n\n",
  "\r",
  " ",
  "    ",
  "\t",
  "# ",
  "#",
  "---",
  "=",
  "- ",
  "* b\n",
  "1",
  ". ",
  "2) ",
  "> ",
  "`",
  "```",
  "```js\n",
  "~~~\n",
  "| a | b |\n",
  "|---|---|\n",
  "|",
  "**",
  "_",
  "[c]",
  "[c]: ",
  "[c",
  "]:",
  "https://fine.test",
  ' "title',
  '"',
  "<div>",
  "<!-- ",
  "-->",
  "<pre>",
  "</pre>",
  "<a href=x>",
  "<code>",
  "<b",
  ">",
  "&amp;",
  "\\",
  "- [ ] "
])

const grown = (pieces: ReadonlyArray<string>): Blocks.Blocks => {
  let text = ""
  return pieces.reduce((blocks: Blocks.Blocks, piece) => {
    text += piece
    return Blocks.parse(text, blocks)
  }, Blocks.empty)
}

const paragraphs = (count: number) => Array.from({ length: count }, (_, index) => `Paragraph **${index}**.\n\n`)

describe("the blocks of a text that grows", () => {
  it.prop(
    "are those of the whole text, however it came in pieces",
    [Schema.Array(Piece)],
    ([pieces]) => {
      assert.deepStrictEqual(grown(pieces).tokens, [...lexer(pieces.join(""))])
    },
    { arbitrary: { runs: 3000, size: 60, seed: "blocks" } }
  )

  it.prop(
    "are those of the text, whatever another text left behind",
    [Schema.Array(Piece), Schema.Array(Piece)],
    ([one, other]) => {
      const text = other.join("")
      assert.deepStrictEqual(Blocks.parse(text, grown(one)).tokens, [...lexer(text)])
    }
  )

  it("are read once when they are finished", () => {
    const pieces = paragraphs(50)
    const before = grown(pieces)
    const after = Blocks.parse(`${pieces.join("")}And mo`, before)
    const first = before.finished.tokens
    assert.isAbove(first.length, 90)
    for (const [index, token] of first.entries()) assert.strictEqual(after.tokens?.[index], token)
  })

  it.each([
    {
      what: "says where earlier links lead",
      before: "See [there].\n\nMore.\n\nMore.\n\n",
      after: "[there]: https://fine.test\n"
    },
    { what: "ends a link's title", before: '[there]: https://fine.test "a\n\nb\n\nc\n', after: '"\n' },
    { what: "goes on with a list", before: "1. a\n\n2", after: ". b" },
    { what: "stands behind an open tag", before: "See <a href=x>.\n\nMore.\n\nMore.\n\n", after: "https://fine.test" }
  ])("are those of the whole text where what follows $what", ({ after, before }) => {
    const text = before + after
    assert.deepStrictEqual(grown([before, after]).tokens, [...lexer(text)])
    assert.notDeepEqual([...lexer(before), ...lexer(after)], [...lexer(text)])
  })
})
