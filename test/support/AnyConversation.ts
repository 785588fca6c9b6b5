import { Schema } from "effect"
import { type HistoryEntry, make } from "../../src/history/HistoryEntry.ts"
import type { PendingCall } from "../../src/history/PendingCall.ts"
import * as Slot from "../../src/history/Slot.ts"

/** What is said next in a conversation: by whom, how many tools are called, and how long it is. */
const Part = Schema.Struct({
  kind: Schema.Literals(["user", "user", "assistant", "calls", "calls", "system"]),
  calls: Schema.Literals([1, 2, 3]),
  length: Schema.Literals([1, 40, 3000])
})

/** The parts of a conversation, and how many calls at its end have no result yet: open ones, or running ones. */
export const AnyConversation = Schema.Struct({
  parts: Schema.Array(Part).check(Schema.isMaxLength(14)),
  unanswered: Schema.Literals([0, 0, 1, 2]),
  isRunning: Schema.Boolean
})

const text = (length: number, index: number) => `${index} ${"x".repeat(length)}`

/** A conversation as a turn of ours leaves it, or as it stands in the middle of one. */
export const slots = ({ isRunning, parts, unanswered }: typeof AnyConversation.Type): ReadonlyArray<Slot.Slot> => {
  const made: Array<Slot.Slot> = []
  const say = (entry: HistoryEntry) => made.push(Slot.entry(entry))
  for (const [index, { calls, kind, length }] of parts.entries()) {
    if (kind === "user") say(make({ role: "user", content: text(length, index) }))
    else if (kind === "system") say(make({ role: "system", content: text(length, index) }))
    else if (kind === "assistant") say(make({ role: "assistant", content: text(length, index) }))
    else {
      const ids = Array.from({ length: calls }, (_, number) => `call_${index}_${number}`)
      say(
        make({
          role: "assistant",
          content: ids.map((toolCallId) => ({ type: "tool_use", toolCallId, name: "look", input: {} }))
        })
      )
      const missing = index === parts.length - 1 ? unanswered : 0
      for (const [number, toolCallId] of ids.entries()) {
        const call: PendingCall = {
          call: { toolCallId, name: "look", input: {} },
          answerer: "running",
          runnable: true
        }
        if (number < calls - missing) say(make({ role: "tool", toolCallId, content: text(length, index) }))
        else if (isRunning) made.push(Slot.running(call))
      }
    }
  }
  return made
}
