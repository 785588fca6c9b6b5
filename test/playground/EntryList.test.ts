import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { Entry } from "../../src/playground/chat/Entry.ts"
import * as EntryList from "../../src/playground/chat/EntryList.tsx"
import { isSame } from "../../src/playground/Memo.tsx"

const text = (text: string): Entry => ({ kind: "text", text, isOpen: false })
const answers = { onPermit: () => {}, onAnswer: () => {} }

describe("the entries of a chat", () => {
  it.prop("are all in their groups, in order", [Schema.Array(Schema.String)], ([texts]) => {
    const entries = Array.from({ length: 20 }, () => texts.map(text)).flat()
    const groups = EntryList.groups(entries)
    assert.deepStrictEqual(groups.flat(), entries)
    for (const group of groups) assert.isAtMost(group.length, EntryList.groupLength)
  })

  it("are rendered again in the one group that has changed", () => {
    const entries = Array.from({ length: 5000 }, (_, index) => text(`${index}`))
    const grown = [...entries.slice(0, -1), text("more")]
    const [before, after] = [EntryList.groups(entries), EntryList.groups(grown)]
    const changed = before.filter(
      (group, index) => !EntryList.areSame({ entries: group, ...answers }, { entries: after[index] ?? [], ...answers })
    )
    assert.strictEqual(changed.length, 1)
  })

  it("are rendered again where they are added to, taken away, or answered otherwise", () => {
    const entries = [text("a"), text("b")]
    const same = { entries, ...answers }
    assert.isTrue(EntryList.areSame(same, { entries: [...entries], ...answers }))
    assert.isFalse(EntryList.areSame(same, { entries: [...entries, text("c")], ...answers }))
    assert.isFalse(EntryList.areSame(same, { entries: entries.slice(0, 1), ...answers }))
    assert.isFalse(EntryList.areSame(same, { ...same, onPermit: () => {} }))
  })
})

describe("records", () => {
  it.each([
    { one: { a: 1 }, other: { a: 1 }, same: true },
    { one: { a: Number.NaN }, other: { a: Number.NaN }, same: true },
    { one: { a: {} }, other: { a: {} }, same: false },
    { one: { a: 1 }, other: { a: 1, b: undefined }, same: false },
    { one: { a: undefined }, other: { b: 1 }, same: false }
  ])("$one and $other are the very same: $same", ({ one, other, same }) => {
    assert.strictEqual(isSame<object>(one, other), same)
  })
})
