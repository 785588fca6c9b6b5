import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { hide, mark } from "../../src/telemetry/Quoted.ts"

/** Texts of few letters, so that they quote each other by chance. */
const Text = Schema.Array(Schema.Literals(["a", "b", "ab", " ", "abba"]))

/** Blanks in a row read as one. */
const toText = (parts: ReadonlyArray<string>) => parts.join("").replaceAll(/ +/g, " ").trim()

/** How programs write a text that they quote: in JSON, in JSON within JSON, in ASCII alone, in a URL, in one line. */
const writings: Readonly<Record<string, (text: string) => string>> = {
  json: (text) => JSON.stringify(text),
  "json in json": (text) => JSON.stringify(JSON.stringify(text)),
  ascii: (text) =>
    JSON.stringify(text).replaceAll(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`),
  url: (text) => `https://a.example/?q=${encodeURIComponent(text)}`,
  line: (text) => text.replaceAll(/\s+/g, " ")
}

const Sentence = Schema.Array(
  Schema.Literals(["Ada ", "\n", '"q"', "\\", "密码是", "é", "4321", "\t", "\u0000"])
).check(Schema.isMinLength(12))

const pieces = (text: string, length: number): ReadonlyArray<string> =>
  Array.from({ length: Math.max(0, text.length - length + 1) }, (_, at) => text.slice(at, at + length))

describe("a line without its quotations", () => {
  it.prop(
    "has no twelve characters of a text, and no whole text of six to eleven",
    [Text, Schema.Array(Text)],
    ([line, texts]) => {
      const all = texts.map(toText)
      for (const part of hide(toText(line), all).split(mark)) {
        for (const text of all) {
          const length = Math.min(12, text.length)
          if (length >= 6) assert.notIncludeMembers([...pieces(part, length)], [...new Set(pieces(text, length))])
        }
      }
    },
    { arbitrary: { runs: 500 } }
  )

  it.prop(
    "is as it was where it quotes nothing",
    [Text],
    ([line]) => {
      const text = toText(line)
      assert.strictEqual(hide(text, ["cccccccccccccccc", "", "ab"]), text)
    },
    { arbitrary: { runs: 200 } }
  )

  it.each([
    { line: "bad: my name is Ada Lovelace!", text: "Hi, my name is Ada Lovelace.", hidden: `bad:${mark}!` },
    { line: `got "my name is Ada Lovelace"`, text: "my name is Ada Lovelace", hidden: `got "${mark}"` },
    { line: "the model gpt-9 is not there", text: "which model do you use?", hidden: "the model gpt-9 is not there" },
    { line: "password hunter2 refused", text: "hunter2", hidden: `password ${mark} refused` },
    { line: "hunter is no word", text: "hunter2", hidden: "hunter is no word" },
    {
      line: "twice twice-over-and-over, twice-over-and-over",
      text: "twice-over-and-over",
      hidden: `twice ${mark}, ${mark}`
    }
  ])("reads $hidden", ({ hidden, line, text }) => {
    assert.strictEqual(hide(line, [text]), hidden)
  })

  it.prop(
    "has none however it is escaped",
    [Sentence, Schema.Literals(["json", "json in json", "ascii", "url", "line"])],
    ([parts, how]) => {
      const text = `Ada 4321 密码是 ${parts.join("")}`
      const line = `no: ${writings[how]?.(text)} <-`
      const left = hide(line, [text])
      for (const word of ["Ada", "4321", "密码是"]) assert.notInclude(decodeURIComponent(left), word)
      assert.match(left, /^no:.*<-$/s)
    },
    { arbitrary: { runs: 300 } }
  )

  it("takes what a user repeats to no end", () => {
    const text = "a".repeat(1_000_000)
    assert.strictEqual(hide(`no: ${"a".repeat(10_000)}!`, [text, `${text}b`, text]), `no: ${mark}!`)
  })

  it("takes a long conversation", () => {
    const long = Array.from({ length: 300_000 }, (_, at) => `word${at} `).join("")
    assert.strictEqual(hide(`no: ${long.slice(1_000_001, 1_000_301)}`, [long]), `no: ${mark}`)
  })
})
