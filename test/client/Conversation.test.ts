import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Conversation from "../../src/client/Conversation.ts"
import type { HistoryMessage } from "../../src/protocol/Message.ts"
import type { TurnEvent } from "../../src/protocol/TurnEvent.ts"

const call = (toolCallId: string): TurnEvent => ({ event: "tool_call", data: { toolCallId, name: "look", input: {} } })
const result = (toolCallId: string, content = toolCallId): TurnEvent => ({
  event: "tool_result",
  data: { toolCallId, content }
})
const text = (delta: string): TurnEvent => ({ event: "text_delta", data: { delta } })

const hearAll = (conversation: Conversation.Conversation, ...events: ReadonlyArray<TurnEvent>) =>
  events.reduce(Conversation.hear, conversation)
const asked = Conversation.send(Conversation.make([]), [{ role: "user", content: "go" }])
const openIds = (conversation: Conversation.Conversation) =>
  Conversation.open(conversation).map(({ toolCallId }) => toolCallId)

/** Who speaks, and of which calls the messages are. */
const outline = (conversation: Conversation.Conversation): ReadonlyArray<string> =>
  Conversation.messages(conversation).map((message: HistoryMessage) => {
    if (message.role === "tool") return `tool ${message.toolCallId} ${String(message.content)}`
    if (message.role !== "assistant" || typeof message.content === "string") return message.role
    return `calls ${message.content.flatMap((block) => (block.type === "tool_use" ? [block.toolCallId] : [])).join(" ")}`
  })

const Ids = Schema.Array(Schema.Literals(["a", "b", "c", "d"])).check(Schema.isUnique())

describe("a conversation", () => {
  it("takes a call that is told again before its result for the same one", () => {
    const told = hearAll(asked, call("a"), call("a"), text("so"), call("a"))
    assert.deepStrictEqual(openIds(told), ["a"])
    const decided = Conversation.send(hearAll(asked, call("a")), [
      { role: "tool_permission", toolCallId: "a", granted: true }
    ])
    assert.deepStrictEqual(outline(hearAll(decided, call("a"), result("a"))), ["user", "calls a", "tool a a"])
  })

  it("takes a call that a history has twice before its result for the same one, as it stood first", () => {
    const use = (name: string) => ({ type: "tool_use", toolCallId: "a", name, input: {} }) as const
    const said: ReadonlyArray<HistoryMessage> = [
      { role: "user", content: "go" },
      { role: "assistant", content: [use("first"), use("second")] }
    ]
    assert.deepStrictEqual(
      Conversation.open(Conversation.make(said)).map(({ name }) => name),
      ["first"]
    )
    const answered: HistoryMessage = { role: "tool", toolCallId: "a", content: "done" }
    assert.deepStrictEqual(Conversation.open(Conversation.make([...said, answered])), [])
    const again: HistoryMessage = { role: "assistant", content: [use("third")] }
    assert.deepStrictEqual(
      Conversation.open(Conversation.make([...said, answered, again])).map(({ name }) => name),
      ["third"]
    )
  })

  it("takes a call with the id of an answered one for another one, in a later turn or in the same", () => {
    const answered = Conversation.send(hearAll(asked, call("a")), [{ role: "tool", toolCallId: "a", content: "1" }])
    assert.deepStrictEqual(openIds(answered), [])
    assert.deepStrictEqual(openIds(hearAll(answered, call("a"))), ["a"])
    const inOne = hearAll(asked, call("a"), result("a", "1"), call("a"))
    assert.deepStrictEqual(openIds(inOne), ["a"])
    assert.deepStrictEqual(openIds(hearAll(inOne, result("a", "2"))), [])
    const spoken = Conversation.send(answered, [{ role: "user", content: "on" }])
    assert.deepStrictEqual(openIds(hearAll(spoken, call("a"))), ["a"])
  })

  it("changes the latest result alone where an id was used again", () => {
    const first = Conversation.send(hearAll(asked, call("a")), [{ role: "tool", toolCallId: "a", content: "1" }])
    const second = Conversation.send(hearAll(first, call("a")), [
      { role: "tool_permission", toolCallId: "a", granted: true }
    ])
    assert.deepStrictEqual(outline(hearAll(second, text("so"), result("a", "2"))), [
      "user",
      "calls a",
      "tool a 1",
      "calls a",
      "tool a 2",
      "assistant"
    ])
  })

  it.prop(
    "has the outcome of each decided call where its decision was sent, in whatever order they are told",
    { ids: Ids, order: Schema.Array(Schema.Int), granted: Schema.Array(Schema.Boolean) },
    ({ granted, ids, order }) => {
      const called = hearAll(asked, ...ids.map(call))
      const decided = Conversation.send(
        called,
        ids.map((toolCallId, index) => ({ role: "tool_permission", toolCallId, granted: granted[index] ?? true }))
      )
      assert.deepStrictEqual(openIds(decided), [])
      const shuffled = ids.toSorted((one, other) => (order[ids.indexOf(one)] ?? 0) - (order[ids.indexOf(other)] ?? 0))
      const told = hearAll(decided, text("so"), ...shuffled.map((id) => result(id)))
      const calls = ids.length === 0 ? [] : [`calls ${ids.join(" ")}`]
      assert.deepStrictEqual(outline(told), ["user", ...calls, ...ids.map((id) => `tool ${id} ${id}`), "assistant"])
      assert.strictEqual(told.decided.size, 0)
    }
  )

  it.prop(
    "has results behind their calls, and nothing open, wherever the results were told",
    { ids: Ids },
    ({ ids }) => {
      const told = hearAll(asked, ...ids.map((id) => result(id)), ...ids.map(call))
      const calls = ids.length === 0 ? [] : [`calls ${ids.join(" ")}`]
      assert.deepStrictEqual(outline(told), ["user", ...calls, ...ids.map((id) => `tool ${id} ${id}`)])
      assert.deepStrictEqual(openIds(told), [])
    }
  )

  it("owes answers where the server waits, and where it does not say so but a call is the application's own", () => {
    const told = hearAll(asked, call("a"))
    const owed = (stop: Parameters<typeof Conversation.owed>[1], isOwn: boolean) =>
      Conversation.owed(told, stop, () => isOwn).length
    assert.deepStrictEqual([owed("tool_use", false), owed("end_turn", true), owed("end_turn", false)], [1, 1, 0])
    assert.deepStrictEqual([owed("error", true), owed("max_tokens", true), owed("refusal", true)], [0, 0, 0])
    assert.strictEqual(Conversation.presumedStop(told), "tool_use")
    assert.strictEqual(Conversation.presumedStop(asked), "end_turn")
  })

  it("takes from the server what it has up to what was sent last, and keeps its own where that is not there", () => {
    const told = hearAll(asked, text("on it"))
    const settled = Conversation.settle(told, [
      { role: "user", content: "before" },
      { role: "assistant", content: "cut o" },
      { content: "go", role: "user" },
      { role: "assistant", content: "on" }
    ])
    assert.deepStrictEqual(outline(settled), ["user", "assistant", "user", "assistant"])
    assert.deepStrictEqual(Conversation.messages(settled).at(-1), { role: "assistant", content: "on it" })
    assert.deepStrictEqual(Conversation.settle(told, [{ role: "user", content: "other" }]), told)
  })
})
