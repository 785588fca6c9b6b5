import * as Ending from "./Ending.ts"
import type { Entry } from "./Entry.ts"

const textOf = (entry: Entry): ReadonlyArray<string> => (entry.kind === "text" ? [entry.text] : [])

/** What these entries tell who does not see them: the agent's latest text, and an ending that is none of the usual. */
export const of = (entries: ReadonlyArray<Entry>): string => {
  const text = entries.flatMap(textOf).at(-1)
  const last = entries.at(-1)
  return [
    ...(text === undefined ? [] : [`The agent said: ${text}`]),
    ...(last?.kind === "stop" ? [Ending.words[last.reason]] : [])
  ].join(" ")
}
