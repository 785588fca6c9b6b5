import * as CompactedHistory from "../history/CompactedHistory.ts"
import * as MessageGroup from "../history/MessageGroup.ts"
import type { HistoryEntry } from "../history/HistoryEntry.ts"
import * as TokenEstimate from "../history/TokenEstimate.ts"

/** How large things are, in estimated tokens. */
export interface Sizes {
  /** What every request takes besides the history: instructions and tools. */
  readonly fixed: number
  /** How many tokens an estimated one comes to, as far as the provider has counted in this turn; 1 before that. */
  readonly ratio: number
}

/** When a history is compacted, and how far, in tokens. */
export interface Limits {
  /** A request that is larger than this is compacted. */
  readonly above: number
  /** What stays of the conversation, at most; its last message group stays whatever its size. */
  readonly keep: number
  /** What is told of the rest, at most. */
  readonly told: number
}

/** Why a history is to be compacted. */
export interface Situation {
  readonly history: CompactedHistory.CompactedHistory
  readonly sizes: Sizes
  /** Whether the provider refused the request as too long. */
  readonly isOverflow: boolean
}

const estimate = ({ message }: HistoryEntry): number => TokenEstimate.ofMessage(message)

/** How many tokens a request with this history takes. */
export const size = (history: CompactedHistory.CompactedHistory, { fixed, ratio }: Sizes): number =>
  CompactedHistory.entries(history).reduce((sum, entry) => sum + estimate(entry), fixed) * ratio

/** The earliest position at which a message group begins and from which no more than so many tokens follow. */
const startWithin = ({ cut, tail }: CompactedHistory.CompactedHistory, { ratio }: Sizes, tokens: number): number => {
  let start = tail.length - 1
  let sum = 0
  for (let index = tail.length - 1; index >= 0; index--) {
    const slot = tail[index]
    if (slot === undefined) break
    sum += slot._tag === "Entry" ? estimate(slot.entry) * ratio : 0
    if (sum > tokens) break
    if (MessageGroup.begins(slot)) start = index
  }
  return cut.from + Math.max(start, 0)
}

/**
 * How to compact a history; `undefined` where it is small enough, or nothing that is worth it can be left out.
 *
 * 1. Shortening old results comes first; messages are left out where that is not enough, if need be all but the last group.
 * 2. It frees half of `keep` at least, what is told aside, so that it is not done at every step.
 * 3. After an overflow any gain is worth it, and the latest results are shortened too: half the size is what is aimed at.
 */
export const make = (
  { history, isOverflow, sizes }: Situation,
  { above, keep, told }: Limits
): CompactedHistory.Compaction | undefined => {
  const before = size(history, sizes)
  if (!isOverflow && before <= above) return undefined
  const from = startWithin(history, sizes, isOverflow ? Math.min(keep, before / 2) : keep)
  const shortenedTo = isOverflow ? CompactedHistory.end(history) : from
  const sizeOf = (compaction: CompactedHistory.Compaction) => size(CompactedHistory.compact(history, compaction), sizes)
  const shortened = { from: history.cut.from, shortenedTo }
  const aim = isOverflow ? before / 2 : (above + keep) / 2
  const least = isOverflow ? 0 : keep / 2 + told
  const isWorthIt = (compaction: CompactedHistory.Compaction) => before - sizeOf(compaction) > least
  if (sizeOf(shortened) <= aim && isWorthIt(shortened)) return shortened
  return [from, CompactedHistory.end(history)].map((from) => ({ from, shortenedTo })).find(isWorthIt)
}
