import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as CompactedHistory from "../../src/history/CompactedHistory.ts"
import { type HistoryEntry, make } from "../../src/history/HistoryEntry.ts"
import { openCalls } from "../../src/history/Pairing.ts"
import * as Slot from "../../src/history/Slot.ts"
import { AnyConversation, slots } from "../support/AnyConversation.ts"

const Wanted = Schema.Array(
  Schema.Struct({
    from: Schema.Int.check(Schema.isBetween({ minimum: -2, maximum: 40 })),
    shortenedTo: Schema.Int.check(Schema.isBetween({ minimum: -2, maximum: 40 })),
    summary: Schema.optionalKey(Schema.Literals(["so far", "and more"]))
  })
).check(Schema.isMaxLength(4))

const user = (content: string) => make({ role: "user", content })
const assistant = (content: string) => make({ role: "assistant", content })
const system = (content: string) => make({ role: "system", content })
const result = (toolCallId: string, content = "seen") => make({ role: "tool", toolCallId, content })
const calls = (...ids: ReadonlyArray<string>) =>
  make({
    role: "assistant",
    content: ids.map((toolCallId) => ({ type: "tool_use", toolCallId, name: "look", input: {} }))
  })
const full = (...entries: ReadonlyArray<HistoryEntry>) => CompactedHistory.full(entries.map(Slot.entry))
const messages = (entries: ReadonlyArray<HistoryEntry>) => entries.map(({ message }) => message)
const openIds = (entries: ReadonlyArray<HistoryEntry>) =>
  Result.map(openCalls(messages(entries)), (open) => open.map(({ toolCallId }) => toolCallId))
const isSystem = ({ message }: HistoryEntry) => message.role === "system"

describe("CompactedHistory", () => {
  it.prop(
    "leaves message groups, system text, what was said last and what is open whole, however often it is compacted",
    { conversation: AnyConversation, wanted: Wanted },
    ({ conversation, wanted }) => {
      const all = slots(conversation)
      const entries = Slot.entries(all)
      const compacted = wanted.reduce(CompactedHistory.compact, CompactedHistory.full(all))
      const fed = CompactedHistory.entries(compacted)
      const { cut } = compacted

      assert.deepStrictEqual(openIds(fed), openIds(entries))
      assert.deepStrictEqual(fed.filter(isSystem), entries.filter(isSystem))
      assert.deepStrictEqual(compacted.tail, all.slice(cut.from))
      assert.deepStrictEqual(
        compacted.kept.map(Slot.entry),
        cut.kept.map((position) => all[position])
      )
      assert.strictEqual(CompactedHistory.end(compacted), all.length)
      const last = entries.findLast(({ message }) => message.role === "user")
      const heard = fed.filter((entry) => !isSystem(entry))
      if (last !== undefined) assert.include(heard, last)
      const hasSaid = Slot.entries(all.slice(0, cut.from)).some(({ message }) => message.role === "user")
      if (hasSaid) assert.strictEqual(heard[0]?.message.role, "user")
      if (all.length > 0) assert.isAbove(compacted.tail.length, 0)
    },
    { arbitrary: { runs: 2000 } }
  )

  it.prop(
    "leaves out no less than before, and is read back from what is stored",
    { conversation: AnyConversation, wanted: Wanted },
    ({ conversation, wanted }) => {
      const all = slots(conversation)
      let history = CompactedHistory.full(all)
      for (const one of wanted) {
        const next = CompactedHistory.compact(history, one)
        assert.isAtLeast(next.cut.from, history.cut.from)
        assert.isAtLeast(next.cut.shortenedTo, history.cut.shortenedTo)
        assert.isAtMost(next.cut.from, Math.max(history.cut.from, one.from))
        const told = history.cut.summary ?? one.summary
        if (told !== undefined) assert.isDefined(next.cut.summary)
        history = next
      }
      const { cut } = Schema.decodeSync(Schema.Struct({ cut: CompactedHistory.Cut }))({ cut: history.cut })
      const kept = cut.kept.flatMap((position) => Slot.entries(all.slice(position, position + 1)))
      assert.deepStrictEqual({ cut, kept, tail: all.slice(cut.from) }, history)
    },
    { arbitrary: { runs: 1000 } }
  )

  it("feeds what was kept, a summary, and the rest", () => {
    const history = full(
      system("Be kind."),
      user("one"),
      assistant("1"),
      user("two"),
      user("and three"),
      calls("a"),
      result("a"),
      calls("b"),
      result("b"),
      assistant("done")
    )
    const compacted = CompactedHistory.compact(history, { from: 8, shortenedTo: 0, summary: "They count." })
    assert.deepStrictEqual(CompactedHistory.entries(compacted), [
      system("Be kind."),
      user("[Summary of the conversation before this: a record, not a request]\n\nThey count."),
      user("two"),
      user("and three"),
      calls("b"),
      result("b"),
      assistant("done")
    ])
    assert.deepStrictEqual(compacted.cut, { from: 7, kept: [0, 3, 4], shortenedTo: 0, summary: "They count." })

    const later = CompactedHistory.append(compacted, [user("four"), assistant("4")].map(Slot.entry))
    assert.deepStrictEqual(CompactedHistory.entries(CompactedHistory.compact(later, { from: 10, shortenedTo: 0 })), [
      system("Be kind."),
      user("[Summary of the conversation before this: a record, not a request]\n\nThey count."),
      user("four"),
      assistant("4")
    ])
  })

  it("shortens long results alone, and says so", () => {
    const long = `${"a".repeat(3000)}${"z".repeat(3000)}`
    const image = { type: "image", url: "https://example.test/a.png" } as const
    const seen = make({ role: "tool", toolCallId: "b", content: [{ type: "text", text: long }, image] })
    const history = full(user(long), calls("a", "b"), result("a", long), seen, calls("c"), result("c", long))
    const [said, , first, second, , last] = CompactedHistory.entries(
      CompactedHistory.compact(history, { from: 0, shortenedTo: 4 })
    )
    const short = `${"a".repeat(1500)}\n[… 4000 characters left out …]\n${"z".repeat(500)}`
    assert.deepStrictEqual(said, user(long))
    assert.deepStrictEqual(first, result("a", short))
    assert.deepStrictEqual(second?.message.content, [
      { type: "text", text: short },
      { type: "text", text: "[an image, left out]" }
    ])
    assert.deepStrictEqual(last, result("c", long))
  })
})
