import type { HistoryEntry } from "./HistoryEntry.ts"
import type { PendingCall } from "./PendingCall.ts"

/**
 * A place in the history: taken by an entry, or kept for the result of a call that the server is running. Keeping the
 * place lets results be stored one by one as they come, and still read in the order of their calls and before what
 * the user said after them.
 */
export type Slot =
  | { readonly _tag: "Entry"; readonly entry: HistoryEntry }
  | { readonly _tag: "Running"; readonly call: PendingCall }

/** A place taken by an entry. */
export const entry = (entry: HistoryEntry): Slot => ({ _tag: "Entry", entry })

/** A place kept for the result of a running call. */
export const running = (call: PendingCall): Slot => ({ _tag: "Running", call })

/** The entries, in order; places that are still kept are passed over. */
export const entries = (slots: ReadonlyArray<Slot>): ReadonlyArray<HistoryEntry> =>
  slots.flatMap((slot) => (slot._tag === "Entry" ? [slot.entry] : []))
