import type { SessionEvent } from "../../client/ClientSession.ts"
import type { HistoryMessage } from "../../protocol/Message.ts"
import type { ToolCall } from "../../protocol/Tool.ts"
import * as Attachment from "./Attachment.ts"
import * as Entry from "./Entry.ts"
import type { Problem } from "./Problem.ts"
import * as Speech from "./Speech.ts"

/** An event, and when it came, in milliseconds since 1970. */
export interface TimedEvent {
  readonly at: number
  readonly event: SessionEvent
}

/** What the user says. */
export interface Said {
  readonly text: string
  readonly images: ReadonlyArray<Attachment.Attachment>
}

/**
 * The chat of one session.
 *
 * - `heard`: how many events ever came.
 * - `spoken`: what a screen reader is told last.
 * - `begun`: how many entries there were when what runs, or ran last, began; what it gave stands behind them.
 * - `unconfirmed`: what was said and the ids of calls that were answered, of which no turn has begun yet.
 * - `returned`: what was said and came to no turn, for the user to send again.
 */
export interface Chat {
  readonly entries: ReadonlyArray<Entry.Entry>
  readonly timeline: ReadonlyArray<TimedEvent>
  readonly heard: number
  readonly isRunning: boolean
  readonly spoken: string
  readonly begun: number
  readonly unconfirmed: { readonly said: Said | undefined; readonly calls: ReadonlyArray<string> }
  readonly returned: Said | undefined
}

/** What happens to a chat. */
export type Action =
  | { readonly type: "opened"; readonly history: ReadonlyArray<HistoryMessage> }
  | { readonly type: "said"; readonly text: string; readonly images?: ReadonlyArray<Attachment.Attachment> }
  | { readonly type: "wentOn" }
  | { readonly type: "heard"; readonly events: ReadonlyArray<TimedEvent> }
  | { readonly type: "asked"; readonly call: ToolCall; readonly what: "permission" | "answer" }
  | { readonly type: "refused"; readonly history: ReadonlyArray<HistoryMessage> }
  | { readonly type: "failed"; readonly problem: Problem }
  | { readonly type: "stopped" }
  | { readonly type: "ended" }

const confirmed: Chat["unconfirmed"] = { said: undefined, calls: [] }

/** Nothing was said. */
export const empty: Chat = {
  entries: [],
  timeline: [],
  heard: 0,
  isRunning: false,
  spoken: "",
  begun: 0,
  unconfirmed: confirmed,
  returned: undefined
}

/** How many events the timeline keeps: some tens of megabytes of deltas at the most. */
export const timelineLength = 50_000

type TextKind = "text" | "thinking"

const close = (entries: ReadonlyArray<Entry.Entry>): ReadonlyArray<Entry.Entry> => {
  const last = entries.at(-1)
  if (last === undefined || !("isOpen" in last) || !last.isOpen) return entries
  const before = entries.slice(0, -1)
  return last.text.trim() === "" ? before : [...before, { ...last, isOpen: false }]
}

const grow = (entries: ReadonlyArray<Entry.Entry>, kind: TextKind, delta: string): ReadonlyArray<Entry.Entry> => {
  const last = entries.at(-1)
  return last?.kind === kind && last.isOpen
    ? [...entries.slice(0, -1), { ...last, text: last.text + delta }]
    : [...close(entries), { kind, text: delta, isOpen: true }]
}

const replace = (entries: ReadonlyArray<Entry.Entry>, kind: TextKind, text: string): ReadonlyArray<Entry.Entry> => {
  const last = entries.at(-1)
  const before = last?.kind === kind && last.isOpen ? entries.slice(0, -1) : close(entries)
  return close([...before, { kind, text, isOpen: true }])
}

const hear = (entries: ReadonlyArray<Entry.Entry>, { data, event }: SessionEvent): ReadonlyArray<Entry.Entry> => {
  switch (event) {
    case "turn_start":
      return close(entries)
    case "text_delta":
      return grow(entries, "text", data.delta)
    case "thinking_delta":
      return grow(entries, "thinking", data.delta)
    case "text":
      return replace(entries, "text", data.text)
    case "thinking":
      return replace(entries, "thinking", data.thinking)
    case "tool_call":
      // One that is told again before its outcome is the same call.
      return Entry.isWaiting(entries, data.toolCallId) ? entries : [...close(entries), Entry.openCall(data)]
    case "tool_result":
    case "client_result":
      return Entry.withResult(close(entries), data.toolCallId, data.content)
    case "permission":
      return Entry.changeCall(entries, data.toolCallId, (entry) => ({
        ...entry,
        status: data.granted ? "granted" : "denied",
        ...(data.reason === undefined ? {} : { reason: data.reason })
      }))
    case "turn_stop": {
      const closed = close(entries)
      const { stopReason } = data
      return stopReason === "end_turn" || stopReason === "tool_use"
        ? closed
        : [...closed, { kind: "stop", reason: stopReason }]
    }
  }
}

const asked = (entries: ReadonlyArray<Entry.Entry>, call: ToolCall, status: "permission" | "answer") => {
  const isKnown = entries.some((entry) => entry.kind === "call" && entry.call.toolCallId === call.toolCallId)
  return Entry.changeCall(isKnown ? entries : [...entries, Entry.openCall(call)], call.toolCallId, (entry) => ({
    ...entry,
    status
  }))
}

/** Nobody waits for an answer any more. */
const release = (entries: ReadonlyArray<Entry.Entry>): ReadonlyArray<Entry.Entry> =>
  close(entries).map((entry) =>
    entry.kind === "call" && (entry.status === "permission" || entry.status === "answer")
      ? { ...entry, status: "open" }
      : entry
  )

const confirm = (before: Chat["unconfirmed"], { data, event }: SessionEvent): Chat["unconfirmed"] => {
  if (event === "turn_start") return confirmed
  return event === "client_result" || event === "permission"
    ? { ...before, calls: [...before.calls, data.toolCallId] }
    : before
}

/** What runs has ended before its end: nobody waits any more, and what came to no turn is given back. */
const breakOff = (chat: Chat): Chat => {
  const { calls, said } = chat.unconfirmed
  const open = calls.reduce(
    (entries, id) => Entry.changeCall(entries, id, ({ call }) => Entry.openCall(call)),
    release(chat.entries)
  )
  return {
    ...chat,
    entries: said === undefined ? open : Entry.unsent(open),
    isRunning: false,
    unconfirmed: confirmed,
    returned: said
  }
}

/** The chat with what its session's server has of the calls that were answered in vain. */
const correct = (chat: Chat, history: ReadonlyArray<HistoryMessage>): Chat => ({
  ...chat,
  entries: Entry.corrected(chat.entries, chat.unconfirmed.calls, history),
  unconfirmed: { ...chat.unconfirmed, calls: [] }
})

/** Whether the session of the chat was found to be no more. */
export const isGone = ({ entries }: Chat): boolean => {
  const last = entries.at(-1)
  return last?.kind === "problem" && last.problem.status === 404
}

/**
 * What happens, folded.
 *
 * 1. What was streamed reads as its history would: both give the same entries.
 * 2. A call waits for the user only while somebody asks.
 * 3. What was said, and answered, counts once a turn has begun with it: it is given back, or open again, where none has.
 * 4. What a screen reader is told is of what ran last alone.
 * 5. The timeline keeps the latest {@link timelineLength} events, in the order in which they came.
 */
export const reduce = (chat: Chat, action: Action): Chat => {
  switch (action.type) {
    case "opened":
      return { ...empty, entries: Entry.fromHistory(action.history) }
    case "said": {
      const { images = [], text } = action
      const content = Attachment.toContent(text, images)
      const entries: ReadonlyArray<Entry.Entry> = [...close(chat.entries), { kind: "user", content }]
      return {
        ...chat,
        entries,
        isRunning: true,
        spoken: "The agent is answering.",
        begun: entries.length,
        unconfirmed: { said: { text, images }, calls: [] },
        returned: undefined
      }
    }
    case "wentOn": {
      const entries = close(chat.entries)
      return { ...chat, entries, isRunning: true, spoken: "", begun: entries.length, unconfirmed: confirmed }
    }
    case "heard": {
      const entries = action.events.reduce((entries, { event }) => hear(entries, event), chat.entries)
      const timeline = [...chat.timeline, ...action.events].slice(-timelineLength)
      const unconfirmed = action.events.reduce((before, { event }) => confirm(before, event), chat.unconfirmed)
      return { ...chat, entries, timeline, unconfirmed, heard: chat.heard + action.events.length }
    }
    case "asked": {
      const { call, what } = action
      const spoken = `The agent waits for your ${what === "answer" ? "answer" : "permission"}: ${call.name}.`
      return { ...chat, entries: asked(chat.entries, call, what), spoken }
    }
    case "refused":
      return correct(chat, action.history)
    case "failed": {
      const { problem } = action
      const broken = breakOff(chat)
      // The note of a problem speaks for itself.
      return { ...broken, entries: [...broken.entries, { kind: "problem", problem }], spoken: "" }
    }
    case "stopped": {
      const broken = breakOff(chat)
      return { ...broken, entries: [...broken.entries, { kind: "stop", reason: "stopped" }], spoken: "Stopped." }
    }
    case "ended": {
      const entries = release(chat.entries)
      return {
        ...chat,
        entries,
        isRunning: false,
        spoken: Speech.of(entries.slice(chat.begun)),
        unconfirmed: confirmed
      }
    }
  }
}
