import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { openCalls } from "../../src/history/Pairing.ts"
import { HistoryMessage } from "../../src/protocol/Message.ts"

const calls = (...ids: ReadonlyArray<string>): HistoryMessage => ({
  role: "assistant",
  content: ids.map((toolCallId) => ({ type: "tool_use", toolCallId, name: "look", input: {} }))
})
const result = (toolCallId: string): HistoryMessage => ({ role: "tool", toolCallId, content: "seen" })
const user: HistoryMessage = { role: "user", content: "hello" }

const openIds = (history: ReadonlyArray<HistoryMessage>) =>
  Result.map(openCalls(history), (open) => open.map((call) => call.toolCallId))

describe("Pairing", () => {
  it("lists the calls at the end that have no result, in order", () => {
    assert.deepStrictEqual(openIds([user, calls("a", "b", "c"), result("b")]), Result.succeed(["a", "c"]))
    assert.deepStrictEqual(openIds([user, calls("a"), result("a"), user]), Result.succeed([]))
    assert.deepStrictEqual(openIds([]), Result.succeed([]))
  })

  it.each([
    { name: "a result without a call", history: [user, result("a")], index: 1 },
    { name: "a call answered twice", history: [calls("a"), result("a"), result("a")], index: 2 },
    { name: "a result before its call", history: [result("a"), calls("a")], index: 0 },
    { name: "an id used twice in one message", history: [calls("a", "a")], index: 0 },
    { name: "an id used again later", history: [calls("a"), result("a"), calls("a")], index: 2 },
    { name: "a dangling call before a user message", history: [calls("a"), user], index: 1 },
    { name: "a dangling call before another call", history: [calls("a", "b"), result("b"), calls("c")], index: 2 }
  ])("refuses $name", ({ history, index }) => {
    const refused = openCalls(history)
    assert.isTrue(Result.isFailure(refused) && refused.failure.index === index)
  })

  it.prop(
    "any history is judged: pairs all, or names the message that does not",
    [Schema.Array(HistoryMessage)],
    ([history]) => {
      const judged = openCalls(history)
      if (Result.isFailure(judged)) return void assert.isDefined(history[judged.failure.index])
      const answered = history.flatMap((message) => (message.role === "tool" ? [message.toolCallId] : []))
      assert.strictEqual(new Set(answered).size, answered.length)
    },
    { arbitrary: { runs: 1000 } }
  )
})
