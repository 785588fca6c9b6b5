import type { Break, Json } from "./Broken.ts"

/** A server that breaks a rule, and what the check says of it. */
export interface Case {
  /** How its answers differ from those of our own server. */
  readonly broken?: Break
  /** What it asks the model in place of what our own server asks. */
  readonly model?: (body: Json) => Json
  /** Its agent that is checked: `agent`, of which every rule has something to say, or `plain`, which declares little. */
  readonly agent?: "plain"
  readonly says: RegExp
  /** That this is found in what /meta told before any rule was checked: there is no exchange to be shown. */
  readonly isFoundBefore?: true
}

/** By rule, servers that break it: one for each of its assertions. */
export type Cases = Readonly<Record<string, ReadonlyArray<Case>>>
