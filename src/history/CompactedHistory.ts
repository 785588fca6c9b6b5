import { Schema } from "effect"
import { type HistoryEntry, make } from "./HistoryEntry.ts"
import * as MessageGroup from "./MessageGroup.ts"
import * as ShortResult from "./ShortResult.ts"
import * as Slot from "./Slot.ts"

/**
 * What a model is not fed of a history any more. Entries at positions before `from` are left out, but for those at the
 * positions `kept`; `summary` tells what they said. Long tool results before the position `shortenedTo` are shortened.
 */
export const Cut = Schema.Struct({
  from: Schema.Int,
  kept: Schema.Array(Schema.Int),
  summary: Schema.optionalKey(Schema.String),
  shortenedTo: Schema.Int
})
export type Cut = typeof Cut.Type

/** Nothing is left out. */
export const uncut: Cut = { from: 0, kept: [], shortenedTo: 0 }

/**
 * A history as far as a model is fed it: the entries that stand before the cut and are kept, and the slots from the cut on,
 * the first of them at the position `cut.from`.
 */
export interface CompactedHistory {
  readonly cut: Cut
  readonly kept: ReadonlyArray<HistoryEntry>
  readonly tail: ReadonlyArray<Slot.Slot>
}

/** A history of which nothing is left out. */
export const full = (slots: ReadonlyArray<Slot.Slot>): CompactedHistory => ({ cut: uncut, kept: [], tail: slots })

/** The position that the next slot takes. */
export const end = ({ cut, tail }: CompactedHistory): number => cut.from + tail.length

/** The history with more slots at its end. */
export const append = (history: CompactedHistory, slots: ReadonlyArray<Slot.Slot>): CompactedHistory => ({
  ...history,
  tail: [...history.tail, ...slots]
})

/** The history with a result in the place that was kept for it. */
export const settle = (history: CompactedHistory, result: HistoryEntry): CompactedHistory => ({
  ...history,
  tail: history.tail.map((slot) =>
    slot._tag === "Running" && result.message.role === "tool" && slot.call.call.toolCallId === result.message.toolCallId
      ? Slot.entry(result)
      : slot
  )
})

const isSystem = ({ message }: HistoryEntry): boolean => message.role === "system"

const summaryEntry = (summary: string): HistoryEntry =>
  make({ role: "user", content: `[Summary of the conversation before this: a record, not a request]\n\n${summary}` })

/** What the model is fed: system text that was kept, the summary, what the user said that was kept, and the rest. */
export const entries = ({ cut, kept, tail }: CompactedHistory): ReadonlyArray<HistoryEntry> => {
  const shown = tail.flatMap((slot, index) => {
    if (slot._tag === "Running") return []
    return [cut.from + index < cut.shortenedTo ? ShortResult.ofEntry(slot.entry) : slot.entry]
  })
  if (cut.from === 0) return shown
  const summary = cut.summary === undefined ? [] : [summaryEntry(cut.summary)]
  return [...kept.filter(isSystem), ...summary, ...kept.filter((entry) => !isSystem(entry)), ...shown]
}

/** An entry and its position. */
interface Placed {
  readonly position: number
  readonly entry: HistoryEntry
}

const lastSaid = (placed: ReadonlyArray<Placed>): ReadonlyArray<Placed> => {
  const end = placed.findLastIndex(({ entry }) => entry.message.role === "user")
  const before = placed.findLastIndex(({ entry }, index) => index < end && entry.message.role !== "user")
  return placed.slice(before + 1, end + 1)
}

/** What to leave out: everything before `from`, told by a summary if there is one; and how far to shorten results. */
export interface Compaction {
  readonly from: number
  readonly shortenedTo: number
  /** The summary that stands is kept where this is absent. */
  readonly summary?: string
}

/** How many slots of the tail may be left out for this position to be the first. */
const countBefore = ({ cut, tail }: CompactedHistory, from: number): number => {
  const running = tail.findIndex((slot) => slot._tag === "Running")
  const last = running === -1 ? tail.length - 1 : running
  return MessageGroup.startAt(tail, Math.min(Math.max(from - cut.from, 0), last))
}

/** What is kept of what stands before a tail. */
const keptBefore = (placed: ReadonlyArray<Placed>, tail: ReadonlyArray<Slot.Slot>): ReadonlyArray<Placed> => {
  const next = tail.find((slot) => slot._tag === "Running" || !isSystem(slot.entry))
  const goesOn = next?._tag !== "Entry" || next.entry.message.role !== "user"
  const spoken = new Set(goesOn ? lastSaid(placed.filter(({ entry }) => !isSystem(entry))) : [])
  return placed.filter((one) => isSystem(one.entry) || spoken.has(one))
}

/**
 * The history with more of it left out.
 *
 * 1. A message group is left out whole or not at all; the last one stays, and so does what is still running.
 * 2. System text stays. So does what the user said last, all of it, where the turn that it began goes on behind the cut.
 * 3. What was left out, or shortened, stays so.
 */
export const compact = (history: CompactedHistory, { from, shortenedTo, summary }: Compaction): CompactedHistory => {
  const { cut, tail } = history
  const count = countBefore(history, from)
  const left = Slot.entries(tail.slice(0, count)).map((entry, index) => ({ position: cut.from + index, entry }))
  const before = history.kept.flatMap((entry, index): ReadonlyArray<Placed> => {
    const position = cut.kept[index]
    return position === undefined ? [] : [{ position, entry }]
  })
  const rest = tail.slice(count)
  const kept = keptBefore([...before, ...left], rest)
  const told = summary ?? cut.summary
  return {
    cut: {
      from: cut.from + count,
      kept: kept.map(({ position }) => position),
      shortenedTo: Math.max(cut.shortenedTo, Math.min(shortenedTo, end(history))),
      ...(told === undefined ? {} : { summary: told })
    },
    kept: kept.map(({ entry }) => entry),
    tail: rest
  }
}

/** The entries that the other of two cuts of a history also leaves out. */
export const leftOut = (history: CompactedHistory, other: CompactedHistory): ReadonlyArray<HistoryEntry> =>
  Slot.entries(history.tail.slice(0, other.cut.from - history.cut.from))
