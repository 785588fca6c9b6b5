import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { SessionEvent } from "../../src/client/ClientSession.ts"
import * as Transcript from "../../src/history/Transcript.ts"
import * as Chat from "../../src/playground/chat/Chat.ts"
import * as Entry from "../../src/playground/chat/Entry.ts"
import type { HistoryMessage } from "../../src/protocol/Message.ts"
import type { TurnEvent } from "../../src/protocol/TurnEvent.ts"

const heard = (chat: Chat.Chat, ...events: ReadonlyArray<SessionEvent>): Chat.Chat =>
  Chat.reduce(chat, { type: "heard", events: events.map((event, at) => ({ at, event })) })

const call = { toolCallId: "call_1", name: "current_time", input: {} }
const start: TurnEvent = { event: "turn_start", data: {} }
const stop = (stopReason: "end_turn" | "tool_use" | "refusal"): TurnEvent => ({
  event: "turn_stop",
  data: { stopReason }
})
const waiting = Chat.reduce(heard(Chat.empty, start, { event: "tool_call", data: call }, stop("tool_use")), {
  type: "asked",
  call,
  what: "permission"
})
const statuses = ({ entries }: Chat.Chat) => entries.flatMap((entry) => (entry.kind === "call" ? [entry.status] : []))
const kinds = ({ entries }: Chat.Chat) => entries.map(({ kind }) => kind)

/** Whatever a server may tell, with ids that clash. */
const Told = Schema.Union([
  Schema.Struct({
    event: Schema.Literals(["text_delta", "thinking_delta"]),
    data: Schema.Struct({ delta: Schema.Literals(["", " ", "a", "b\n"]) })
  }),
  Schema.Struct({ event: Schema.Literal("text"), data: Schema.Struct({ text: Schema.Literals([" ", "whole"]) }) }),
  Schema.Struct({ event: Schema.Literal("thinking"), data: Schema.Struct({ thinking: Schema.Literals(["", "hm"]) }) }),
  Schema.Struct({
    event: Schema.Literal("tool_call"),
    data: Schema.Struct({
      toolCallId: Schema.Literals(["1", "2"]),
      name: Schema.Literal("look"),
      input: Schema.Struct({})
    })
  }),
  Schema.Struct({
    event: Schema.Literal("tool_result"),
    data: Schema.Struct({ toolCallId: Schema.Literals(["1", "2", "3"]), content: Schema.Literal("seen") })
  })
])

/** The events without calls that are told again before their result. */
const once = (events: ReadonlyArray<TurnEvent>): ReadonlyArray<TurnEvent> => {
  const open = new Set<string>()
  return events.filter(({ data, event }) => {
    if (event === "tool_result") open.delete(data.toolCallId)
    if (event !== "tool_call") return true
    const isNew = !open.has(data.toolCallId)
    open.add(data.toolCallId)
    return isNew
  })
}

describe("the chat", () => {
  it.prop("reads as its history would", [Schema.Array(Told)], ([told]) => {
    const events: ReadonlyArray<TurnEvent> = [start, ...told]
    const { entries } = heard(Chat.empty, ...events, stop("end_turn"))
    assert.deepStrictEqual(entries, Entry.fromHistory(Transcript.fold([...once(events), stop("end_turn")])))
  })

  it.prop("takes events one by one as it takes them together", [Schema.Array(Told)], ([told]) => {
    const oneByOne = told.reduce((chat: Chat.Chat, event) => heard(chat, event), Chat.empty)
    assert.deepStrictEqual(oneByOne.entries, heard(Chat.empty, ...told).entries)
  })

  it("keeps the latest events, in order", () => {
    const delta: TurnEvent = { event: "text_delta", data: { delta: "x" } }
    const chat = heard(Chat.empty, start, ...Array.from({ length: Chat.timelineLength }, () => delta))
    assert.strictEqual(chat.timeline.length, Chat.timelineLength)
    assert.strictEqual(chat.heard, Chat.timelineLength + 1)
    assert.strictEqual(chat.timeline[0]?.event.event, "text_delta")
    assert.strictEqual(chat.timeline.at(-1)?.at, Chat.timelineLength)
  })

  it("shows a call once that is told twice, and another one of its id once it is answered", () => {
    const told: SessionEvent = { event: "tool_call", data: call }
    const twice = heard(Chat.empty, start, told, told)
    assert.deepStrictEqual(statuses(twice), ["open"])
    const denied: SessionEvent = { event: "permission", data: { toolCallId: call.toolCallId, granted: false } }
    assert.deepStrictEqual(statuses(heard(twice, denied, told)), ["denied", "open"])
  })

  it("shows a call once that a history has twice", () => {
    const use = (name: string) => ({ type: "tool_use", toolCallId: "call_1", name, input: {} }) as const
    const { entries } = Chat.reduce(Chat.empty, {
      type: "opened",
      history: [{ role: "assistant", content: [use("first"), use("second")] }]
    })
    assert.deepStrictEqual(entries, [
      { kind: "call", call: { toolCallId: "call_1", name: "first", input: {} }, status: "open" }
    ])
  })

  it("asks about a call, and says so", () => {
    assert.deepStrictEqual(statuses(waiting), ["permission"])
    assert.include(waiting.spoken, "permission: current_time")
  })

  it("shows a call that it is asked about without having heard of it", () => {
    const chat = Chat.reduce(Chat.empty, { type: "asked", call, what: "answer" })
    assert.deepStrictEqual(statuses(chat), ["answer"])
  })

  it("keeps a denial with its reason, though a result follows", () => {
    const { toolCallId } = call
    const chat = heard(
      waiting,
      { event: "permission", data: { toolCallId, granted: false, reason: "not now" } },
      start,
      { event: "tool_result", data: { toolCallId, content: "Tool call denied: not now" } }
    )
    assert.deepStrictEqual(chat.entries, [
      { kind: "call", call, status: "denied", reason: "not now", result: "Tool call denied: not now" }
    ])
  })

  it("knows a denial by what the model reads of it, where the history alone tells", () => {
    const call = { type: "tool_use", toolCallId: "call_1", name: "current_time", input: {} } as const
    const [, entry] = Chat.reduce(Chat.empty, {
      type: "opened",
      history: [
        { role: "user", content: "hi" },
        { role: "assistant", content: [call] },
        { role: "tool", toolCallId: "call_1", content: "Tool call denied: not now" }
      ]
    }).entries
    assert.deepInclude(entry, { kind: "call", status: "denied", reason: "not now" })
  })

  it("shows what a granted call gave", () => {
    const { toolCallId } = call
    const granted = heard(waiting, { event: "permission", data: { toolCallId, granted: true } })
    assert.deepStrictEqual(statuses(granted), ["granted"])
    const chat = heard(granted, start, { event: "tool_result", data: { toolCallId, content: "noon" } })
    assert.deepStrictEqual(chat.entries, [{ kind: "call", call, status: "answered", result: "noon" }])
  })

  it("asks no longer once it is stopped", () => {
    const chat = Chat.reduce(waiting, { type: "stopped" })
    assert.deepStrictEqual(statuses(chat), ["open"])
    assert.deepStrictEqual(kinds(chat), ["call", "stop"])
    assert.isFalse(chat.isRunning)
  })

  it("shows a failure where it happened, and an ending that is none of the usual", () => {
    const said = Chat.reduce(Chat.empty, { type: "said", text: "go" })
    assert.isTrue(said.isRunning)
    const problem = { title: "No connection", message: "the server cannot be reached" }
    const failed = Chat.reduce(said, { type: "failed", problem })
    assert.deepStrictEqual(failed.entries.at(-1), { kind: "problem", problem })
    assert.isFalse(failed.isRunning)
    const refused = heard(said, start, stop("refusal"))
    assert.deepStrictEqual(refused.entries.at(-1), { kind: "stop", reason: "refusal" })
  })

  it("gives back what was said and came to no turn, and opens the calls anew that were answered with it", () => {
    const problem = { title: "No connection", message: "the server cannot be reached" }
    const said = Chat.reduce(waiting, { type: "said", text: "never mind" })
    const refused = heard(said, { event: "permission", data: { toolCallId: "call_1", granted: false } })
    for (const how of [{ type: "failed", problem }, { type: "stopped" }] as const) {
      const broken = Chat.reduce(refused, how)
      assert.deepStrictEqual(broken.returned, { text: "never mind", images: [] })
      assert.deepStrictEqual(statuses(broken), ["open"])
      assert.deepInclude(broken.entries, { kind: "user", content: "never mind", isUnsent: true })
    }
    const begun = Chat.reduce(heard(refused, start), { type: "failed", problem })
    assert.isUndefined(begun.returned)
    assert.deepStrictEqual(statuses(begun), ["denied"])
    assert.deepInclude(begun.entries, { kind: "user", content: "never mind" })
    assert.isUndefined(Chat.reduce(Chat.reduce(refused, { type: "stopped" }), { type: "said", text: "so" }).returned)
  })

  it("shows what came of a call that was answered elsewhere", () => {
    const denied = heard(waiting, { event: "permission", data: { toolCallId: "call_1", granted: false, reason: "no" } })
    const called: HistoryMessage = { role: "assistant", content: [{ type: "tool_use", ...call }] }
    const running = Chat.reduce(denied, { type: "refused", history: [called] })
    assert.deepStrictEqual(running.entries, [{ kind: "call", call, status: "elsewhere" }])
    const history: ReadonlyArray<HistoryMessage> = [called, { role: "tool", toolCallId: "call_1", content: "noon" }]
    const problem = { title: "The server refused", message: "", code: "unknown_tool_call", status: 422 }
    const failed = Chat.reduce(Chat.reduce(denied, { type: "refused", history }), { type: "failed", problem })
    assert.deepStrictEqual(failed.entries, [
      { kind: "call", call, status: "answered", result: "noon" },
      { kind: "problem", problem }
    ])
  })

  it("knows that its session is gone by the answer to what was asked last", () => {
    const failed = (status: number) =>
      Chat.reduce(Chat.empty, { type: "failed", problem: { title: "The server refused", message: "", status } })
    assert.deepStrictEqual([404, 503].map(failed).map(Chat.isGone), [true, false])
    assert.isFalse(Chat.isGone(Chat.empty))
  })
})
