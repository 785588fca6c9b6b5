import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Transcript from "../../src/history/Transcript.ts"
import { TurnEvent } from "../../src/protocol/TurnEvent.ts"
import { view } from "../../src/turn/StreamMode.ts"

const say = (event: "text" | "thinking", text: string, cut: number): ReadonlyArray<TurnEvent> => {
  const pieces = [text.slice(0, cut), text.slice(cut)].filter((piece) => piece !== "")
  return event === "text"
    ? [...pieces.map((delta) => ({ event: "text_delta" as const, data: { delta } })), { event: "text", data: { text } }]
    : [
        ...pieces.map((delta) => ({ event: "thinking_delta" as const, data: { delta } })),
        { event: "thinking", data: { thinking: text } }
      ]
}

/** One thing that a turn may tell between its start and its stop. */
const Told = Schema.Struct({
  tell: Schema.Literals(["text", "thinking", "call", "result"]),
  text: Schema.NonEmptyString,
  cut: Schema.Int
})

/** A turn as a server of ours tells it: neighbouring blocks of one kind are one block, blank ones are not told whole. */
const toEvents = (told: ReadonlyArray<typeof Told.Type>): ReadonlyArray<TurnEvent> => {
  const events: Array<TurnEvent> = [{ event: "turn_start", data: {} }]
  let last: string | undefined
  for (const item of told) {
    if (item.tell === "call") {
      events.push({ event: "tool_call", data: { toolCallId: item.text, name: "tool", input: {} } })
    } else if (item.tell === "result") {
      events.push({ event: "tool_result", data: { toolCallId: item.text, content: "done" } })
    } else if (item.tell !== last && !Transcript.isBlank(item.text)) {
      events.push(...say(item.tell, item.text, item.cut))
    } else continue
    last = item.tell
  }
  return [...events, { event: "turn_stop", data: { stopReason: "end_turn" } }]
}

describe("Transcript", () => {
  it.prop(
    "all views of a turn fold to the same messages",
    [Schema.Array(Told)],
    ([told]) => {
      const events = toEvents(told)
      const messages = Transcript.fold(events)
      assert.deepStrictEqual(Transcript.fold(view("delta", events)), messages)
      assert.deepStrictEqual(Transcript.fold(view("message", events)), messages)
    },
    { arbitrary: { runs: 2000 } }
  )

  it.prop(
    "any events fold without a blank block, and to no empty message",
    [Schema.Array(TurnEvent)],
    ([events]) => {
      for (const message of Transcript.fold(events)) {
        if (message.role !== "assistant" || typeof message.content === "string") continue
        assert.isAbove(message.content.length, 0)
        for (const block of message.content) {
          if (block.type === "text") assert.isFalse(Transcript.isBlank(block.text))
          if (block.type === "thinking") assert.isFalse(Transcript.isBlank(block.thinking))
        }
      }
    },
    { arbitrary: { runs: 1000 } }
  )

  it("keeps the order of a step's blocks, and ends its message at a result", () => {
    const messages = Transcript.fold([
      { event: "turn_start", data: {} },
      { event: "thinking_delta", data: { delta: "let me " } },
      { event: "thinking_delta", data: { delta: "see" } },
      { event: "text_delta", data: { delta: "Looking." } },
      { event: "tool_call", data: { toolCallId: "call_1", name: "look", input: { at: "it" } } },
      { event: "tool_result", data: { toolCallId: "call_1", content: "seen" } },
      { event: "text_delta", data: { delta: "There " } },
      { event: "text_delta", data: { delta: "it is." } },
      { event: "turn_stop", data: { stopReason: "end_turn" } }
    ])
    assert.deepStrictEqual(messages, [
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "let me see" },
          { type: "text", text: "Looking." },
          { type: "tool_use", toolCallId: "call_1", name: "look", input: { at: "it" } }
        ]
      },
      { role: "tool", toolCallId: "call_1", content: "seen" },
      { role: "assistant", content: "There it is." }
    ])
  })

  it("keeps what was said when a turn breaks off", () => {
    assert.deepStrictEqual(Transcript.fold([{ event: "text_delta", data: { delta: "half a sen" } }]), [
      { role: "assistant", content: "half a sen" }
    ])
  })

  it("tells two whole texts apart", () => {
    const messages = Transcript.fold([
      { event: "text", data: { text: "one" } },
      { event: "text", data: { text: "two" } }
    ])
    assert.deepStrictEqual(messages, [
      {
        role: "assistant",
        content: [
          { type: "text", text: "one" },
          { type: "text", text: "two" }
        ]
      }
    ])
  })
})
