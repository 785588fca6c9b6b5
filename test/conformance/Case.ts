import { type Break, type Json, turns } from "./Broken.ts"
import { at, inDelta, stopping } from "./Change.ts"

/** A server that breaks a rule, and what the check says of it. */
export interface Case {
  /** How its answers differ from those of our own server. */
  readonly broken?: Break
  /** What it asks the model in place of what our own server asks. */
  readonly model?: (body: Json) => Json
  /** Its agent that is checked: `agent`, of which all rules have something to say, or `plain`, which declares little. */
  readonly agent?: "plain"
  readonly says: RegExp
  /** That this is found in what /meta told before any rule was checked: there is no exchange to be shown. */
  readonly isFoundBefore?: true
  /** That the check waits, as long as it has patience, for what does not come. */
  readonly isAwaited?: true
}

/** A turn that stops for another reason than this. The first of a check is 0, and is of no rule. */
export const otherStop = (turn: number, reason: "end_turn" | "tool_use" | "error"): Case => ({
  broken: at(turns, turn, stopping(reason, "max_tokens")),
  says: new RegExp(`stops with max_tokens; ${reason} would be right`)
})

/** A turn in mode `delta` alone that stops for another reason than this: the rule is checked in each mode. */
export const otherStopInDelta = (reason: "end_turn" | "tool_use" | "max_tokens" | "refusal"): Case => ({
  broken: inDelta(stopping(reason, "error")),
  says: new RegExp(`stops with error; ${reason} would be right`)
})

/** By rule, servers that break it: one for each of its assertions. */
export type Cases = Readonly<Record<string, ReadonlyArray<Case>>>
