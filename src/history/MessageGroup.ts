import type { Slot } from "./Slot.ts"

/**
 * Whether a message group begins at a slot. A group is a message with the results of its calls: providers take it whole or
 * not at all.
 */
export const begins = (slot: Slot): boolean => slot._tag === "Entry" && slot.entry.message.role !== "tool"

/** Where the group begins that an index stands in. */
export const startAt = (slots: ReadonlyArray<Slot>, index: number): number =>
  Math.max(
    0,
    slots.findLastIndex((slot, at) => at <= index && begins(slot))
  )
