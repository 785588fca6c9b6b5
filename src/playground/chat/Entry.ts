import * as ToolOutcome from "../../history/ToolOutcome.ts"
import type { ContentBlock, InputContent } from "../../protocol/Content.ts"
import type { HistoryMessage } from "../../protocol/Message.ts"
import type { ToolCall } from "../../protocol/Tool.ts"
import type { Ending } from "./Ending.ts"
import type { Problem } from "./Problem.ts"

/**
 * Where a call stands: `open` calls have no answer; `permission` and `answer` wait for the user; `elsewhere` was answered by
 * another page, and what came of it is not known here.
 */
export type CallStatus = "open" | "permission" | "answer" | "granted" | "denied" | "answered" | "elsewhere"

/** A call with all that came of it. */
export interface CallEntry {
  readonly kind: "call"
  readonly call: ToolCall
  readonly status: CallStatus
  readonly reason?: string
  readonly result?: InputContent
}

/** What somebody said. `isUnsent` is what no turn has begun with. */
export interface SaidEntry {
  readonly kind: "user" | "system"
  readonly content: InputContent
  readonly isUnsent?: true
}

/** What stands in the chat, from top to bottom. `isOpen` text may still grow. */
export type Entry =
  | SaidEntry
  | { readonly kind: "text" | "thinking"; readonly text: string; readonly isOpen: boolean }
  | CallEntry
  | { readonly kind: "stop"; readonly reason: Ending }
  | { readonly kind: "problem"; readonly problem: Problem }

/** The entries with the latest call of this id changed; as they are where there is none. */
export const changeCall = (
  entries: ReadonlyArray<Entry>,
  toolCallId: string,
  change: (entry: CallEntry) => CallEntry
): ReadonlyArray<Entry> => {
  const index = entries.findLastIndex((entry) => entry.kind === "call" && entry.call.toolCallId === toolCallId)
  return entries.map((entry, other) => (other === index && entry.kind === "call" ? change(entry) : entry))
}

/** Whether the latest call of this id has no outcome yet. */
export const isWaiting = (entries: ReadonlyArray<Entry>, toolCallId: string): boolean => {
  const entry = entries.findLast((entry) => entry.kind === "call" && entry.call.toolCallId === toolCallId)
  return entry?.kind === "call" && entry.result === undefined && !["denied", "elsewhere"].includes(entry.status)
}

/** A call that nobody has answered yet. */
export const openCall = (call: ToolCall): CallEntry => ({ kind: "call", call, status: "open" })

/** The entries with a result of a call. A denial stays one, and is one where the result tells of it, as the model reads it. */
export const withResult = (
  entries: ReadonlyArray<Entry>,
  toolCallId: string,
  result: InputContent
): ReadonlyArray<Entry> =>
  changeCall(entries, toolCallId, (entry) => {
    const denial = typeof result === "string" ? ToolOutcome.denialOf(result) : undefined
    const isDenied = entry.status === "denied" || denial !== undefined
    return { ...denial, ...entry, result, status: isDenied ? "denied" : "answered" }
  })

const whole = (kind: "text" | "thinking", text: string): Entry => ({ kind, text, isOpen: false })

const ofBlock = (block: ContentBlock): Entry => {
  switch (block.type) {
    case "text":
      return whole("text", block.text)
    case "thinking":
      return whole("thinking", block.thinking)
    case "image":
      return whole("text", `![image](${block.url})`)
    case "tool_use": {
      const { type: _, ...call } = block
      return openCall(call)
    }
  }
}

const ofMessage = (message: HistoryMessage): ReadonlyArray<Entry> => {
  if (message.role === "tool") return []
  if (message.role !== "assistant") return [{ kind: message.role, content: message.content }]
  if (typeof message.content === "string") return [whole("text", message.content)]
  return message.content.map(ofBlock)
}

/** A call that is told again before its outcome is the same call. */
const withEntry = (entries: ReadonlyArray<Entry>, entry: Entry): ReadonlyArray<Entry> =>
  entry.kind === "call" && isWaiting(entries, entry.call.toolCallId) ? entries : [...entries, entry]

/** A history as the chat shows it. */
export const fromHistory = (history: ReadonlyArray<HistoryMessage>): ReadonlyArray<Entry> => {
  let entries: ReadonlyArray<Entry> = []
  for (const message of history) {
    entries =
      message.role === "tool"
        ? withResult(entries, message.toolCallId, message.content)
        : ofMessage(message).reduce(withEntry, entries)
  }
  return entries
}

/**
 * The entries with the calls of these ids as a history has them: with their results, or answered elsewhere where it has
 * none yet.
 */
export const corrected = (
  entries: ReadonlyArray<Entry>,
  ids: ReadonlyArray<string>,
  history: ReadonlyArray<HistoryMessage>
): ReadonlyArray<Entry> => {
  const calls = fromHistory(history).filter((entry) => entry.kind === "call")
  return ids.reduce((entries, id) => {
    const known = calls.findLast(({ call }) => call.toolCallId === id)
    return changeCall(entries, id, ({ call }) =>
      known?.result === undefined ? { kind: "call", call, status: "elsewhere" } : known
    )
  }, entries)
}

/** The entries with what was said last marked as unsent. */
export const unsent = (entries: ReadonlyArray<Entry>): ReadonlyArray<Entry> => {
  const index = entries.findLastIndex(({ kind }) => kind === "user")
  return entries.map((entry, other) =>
    other === index && entry.kind === "user" ? { ...entry, isUnsent: true as const } : entry
  )
}
