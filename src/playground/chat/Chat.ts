import type { SessionEvent } from "../../client/ClientSession.ts"
import type { HistoryMessage } from "../../protocol/Message.ts"
import type { ToolCall } from "../../protocol/Tool.ts"
import * as Attachment from "./Attachment.ts"
import * as Entry from "./Entry.ts"
import type { Problem } from "./Problem.ts"

/** An event, and when it came, in milliseconds since 1970. */
export interface TimedEvent {
  readonly at: number
  readonly event: SessionEvent
}

/** The chat of one session. `heard` is how many events ever came, `spoken` what a screen reader is told last. */
export interface Chat {
  readonly entries: ReadonlyArray<Entry.Entry>
  readonly timeline: ReadonlyArray<TimedEvent>
  readonly heard: number
  readonly isRunning: boolean
  readonly spoken: string
}

/** What happens to a chat. */
export type Action =
  | { readonly type: "opened"; readonly history: ReadonlyArray<HistoryMessage> }
  | { readonly type: "said"; readonly text: string; readonly images?: ReadonlyArray<Attachment.Attachment> }
  | { readonly type: "wentOn" }
  | { readonly type: "heard"; readonly events: ReadonlyArray<TimedEvent> }
  | { readonly type: "asked"; readonly call: ToolCall; readonly what: "permission" | "answer" }
  | { readonly type: "failed"; readonly problem: Problem }
  | { readonly type: "stopped" }
  | { readonly type: "ended" }

/** Nothing was said. */
export const empty: Chat = { entries: [], timeline: [], heard: 0, isRunning: false, spoken: "" }

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
      return [...close(entries), Entry.openCall(data)]
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

/** The agent's latest text. */
export const lastText = (entries: ReadonlyArray<Entry.Entry>): string =>
  entries.reduce((text, entry) => (entry.kind === "text" ? entry.text : text), "")

/**
 * What happens, folded.
 *
 * 1. What was streamed reads as its history would: both give the same entries.
 * 2. A call waits for the user only while somebody asks.
 * 3. The timeline keeps the latest {@link timelineLength} events, in the order in which they came.
 */
export const reduce = (chat: Chat, action: Action): Chat => {
  switch (action.type) {
    case "opened":
      return { ...empty, entries: Entry.fromHistory(action.history) }
    case "said":
      return {
        ...chat,
        entries: [
          ...close(chat.entries),
          { kind: "user", content: Attachment.toContent(action.text, action.images ?? []) }
        ],
        isRunning: true,
        spoken: "The agent is answering."
      }
    case "wentOn":
      return { ...chat, isRunning: true }
    case "heard": {
      const entries = action.events.reduce((entries, { event }) => hear(entries, event), chat.entries)
      const timeline = [...chat.timeline, ...action.events].slice(-timelineLength)
      return { ...chat, entries, timeline, heard: chat.heard + action.events.length }
    }
    case "asked": {
      const { call, what } = action
      const spoken = `The agent waits for your ${what === "answer" ? "answer" : "permission"}: ${call.name}.`
      return { ...chat, entries: asked(chat.entries, call, what), spoken }
    }
    case "failed": {
      const { problem } = action
      const entries: ReadonlyArray<Entry.Entry> = [...release(chat.entries), { kind: "problem", problem }]
      return { ...chat, entries, isRunning: false, spoken: "" }
    }
    case "stopped":
      return {
        ...chat,
        entries: [...release(chat.entries), { kind: "stop", reason: "stopped" }],
        isRunning: false,
        spoken: "Stopped."
      }
    case "ended": {
      const entries = release(chat.entries)
      return { ...chat, entries, isRunning: false, spoken: `The agent said: ${lastText(entries)}` }
    }
  }
}
