import { Effect } from "effect"
import type { Given } from "./ChatCompletions.ts"
import { ModelControl } from "./ModelControl.ts"
import { tells } from "./Plain.ts"
import { broken } from "./Rule.ts"

/** The last time that the model was asked under a tag; broken where it never was. */
export const lastAsked = Effect.fnUntraced(function* (tag: string) {
  const asked = yield* (yield* ModelControl).asked(tag)
  return asked.at(-1) ?? (yield* broken("the model was not asked"))
})

/** What the model was fed when it was last asked under a tag. */
export const messages = (tag: string) => Effect.map(lastAsked(tag), ({ messages }) => messages)

/** Whether the model is fed a text, as what some role says where one is told. */
export const has = (given: ReadonlyArray<Given>, text: string, role?: string): boolean =>
  given.some((one) => (role === undefined || one.role === role) && tells(one.text, text))

/** The results that the model is fed for its latest calls. What a server puts behind them is none. */
export const latestResults = (given: ReadonlyArray<Given>): ReadonlyArray<Given> =>
  given.slice(given.findLastIndex(({ role }) => role === "assistant") + 1).filter(({ role }) => role === "tool")
