import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as CompactedHistory from "../../src/history/CompactedHistory.ts"
import { type HistoryEntry, make } from "../../src/history/HistoryEntry.ts"
import * as Slot from "../../src/history/Slot.ts"
import * as CompactionPlan from "../../src/turn/CompactionPlan.ts"
import { AnyConversation, slots } from "../support/AnyConversation.ts"

const sizes: CompactionPlan.Sizes = { fixed: 10, ratio: 1 }
const plan = (
  history: CompactedHistory.CompactedHistory,
  limits: Omit<CompactionPlan.Limits, "told"> & { readonly told?: number },
  isOverflow = false
) => {
  const made = CompactionPlan.make({ history, sizes, isOverflow }, { told: 0, ...limits })
  return made && CompactedHistory.compact(history, made)
}
const size = (history: CompactedHistory.CompactedHistory) => CompactionPlan.size(history, sizes)

/** A message of so many tokens. */
const said = (role: "user" | "assistant", tokens: number) => make({ role, content: "x".repeat((tokens - 4) * 4) })
const turn = (tokens: number) => [said("user", tokens), said("assistant", tokens)]
const full = (...entries: ReadonlyArray<HistoryEntry>) => CompactedHistory.full(entries.map(Slot.entry))

describe("CompactionPlan", () => {
  it.prop(
    "compacts what is too large alone, and always to something smaller",
    {
      conversation: AnyConversation,
      above: Schema.Literals([50, 500, 2000]),
      keep: Schema.Literals([10, 40, 400]),
      told: Schema.Literals([0, 100]),
      isOverflow: Schema.Boolean
    },
    ({ above, conversation, isOverflow, keep, told }) => {
      const history = CompactedHistory.full(slots(conversation))
      const next = plan(history, { above, keep, told }, isOverflow)
      if (next === undefined) {
        if (isOverflow || size(history) > above) {
          const most = CompactedHistory.compact(history, {
            from: CompactedHistory.end(history),
            shortenedTo: isOverflow ? CompactedHistory.end(history) : 0
          })
          assert.isAtMost(size(history) - size(most), isOverflow ? 0 : keep / 2 + told)
        }
        return
      }
      assert.isTrue(isOverflow || size(history) > above)
      assert.isBelow(size(next), size(history))
    },
    { arbitrary: { runs: 1000 } }
  )

  it("keeps the latest groups that fit", () => {
    const history = full(...turn(100), ...turn(100), ...turn(100), ...turn(100))
    assert.isUndefined(plan(history, { above: 810, keep: 200 }))
    assert.strictEqual(plan(history, { above: 809, keep: 200 })?.cut.from, 6)
    assert.strictEqual(plan(history, { above: 809, keep: 399 })?.cut.from, 5)
    assert.strictEqual(plan(history, { above: 809, keep: 1 })?.cut.from, 7)
  })

  it("shortens old results before it leaves anything out", () => {
    const use = [{ type: "tool_use", toolCallId: "a", name: "look", input: {} }] as const
    const history = full(
      said("user", 100),
      make({ role: "assistant", content: use }),
      make({ role: "tool", toolCallId: "a", content: "y".repeat(8000) }),
      said("assistant", 100),
      ...turn(100)
    )
    const { cut } = plan(history, { above: 2000, keep: 200 }) ?? CompactedHistory.full([])
    assert.deepStrictEqual(cut, { from: 0, kept: [], shortenedTo: 4 })
    assert.strictEqual(plan(history, { above: 900, keep: 200 })?.cut.from, 4)
  })

  it("leaves a history alone whose last message is what is large", () => {
    assert.isUndefined(plan(full(...turn(20), said("user", 5000)), { above: 1000, keep: 200 }))
    assert.strictEqual(plan(full(...turn(20), said("user", 5000)), { above: 1000, keep: 200 }, true)?.cut.from, 2)
  })

  it("frees more than what is told takes", () => {
    const history = full(...turn(100), ...turn(100))
    assert.isDefined(plan(history, { above: 400, keep: 200, told: 99 }))
    assert.isUndefined(plan(history, { above: 400, keep: 200, told: 100 }))
  })

  it("halves what overflowed, the latest results included, until nothing can be left out", () => {
    const use = [{ type: "tool_use", toolCallId: "a", name: "look", input: {} }] as const
    const history = full(
      ...turn(100),
      said("user", 100),
      make({ role: "assistant", content: use }),
      make({ role: "tool", toolCallId: "a", content: "y".repeat(8000) })
    )
    const first = plan(history, { above: 100_000, keep: 20_000 }, true) ?? history
    assert.deepStrictEqual(first.cut, { from: 0, kept: [], shortenedTo: 5 })
    const second = plan(first, { above: 100_000, keep: 20_000 }, true) ?? history
    assert.deepStrictEqual(second.cut, { from: 3, kept: [2], shortenedTo: 5 })
    assert.isUndefined(plan(second, { above: 100_000, keep: 20_000 }, true))
  })

  it("counts with what the provider counted", () => {
    const twice: CompactionPlan.Sizes = { fixed: 10, ratio: 2 }
    const history = full(...turn(100), ...turn(100))
    assert.isUndefined(CompactionPlan.make({ history, sizes, isOverflow: false }, { above: 500, keep: 100, told: 0 }))
    assert.deepStrictEqual(
      CompactionPlan.make({ history, sizes: twice, isOverflow: false }, { above: 500, keep: 250, told: 0 }),
      { from: 3, shortenedTo: 3 }
    )
  })
})
