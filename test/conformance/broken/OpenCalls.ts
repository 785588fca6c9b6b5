import { asking, turns } from "../Broken.ts"
import { type Case, type Cases, otherStop, otherStopInDelta } from "../Case.ts"
import {
  added,
  array,
  at,
  both,
  denying,
  elsewhere,
  fed,
  history,
  lastResultTwice,
  messages,
  retold,
  saying,
  telling
} from "../Change.ts"

/** Answers the calls that are open itself. */
const answeringAll = asking(
  turns,
  messages(() => ["call_001", "call_002"].map((toolCallId) => ({ role: "tool", toolCallId, content: "grey" })))
)

/** What is true of every request that is refused while calls are open. */
const whileOpen = (what: string): ReadonlyArray<Case> => [
  otherStop(1, "tool_use"),
  {
    broken: at(turns, 2, saying({ stopReason: "end_turn", messages: [] })),
    says: new RegExp(`answers 200 to ${what}`)
  },
  {
    broken: at(turns, 2, both(denying(422), answeringAll)),
    says: new RegExp(`the model is asked again by ${what}`)
  },
  { broken: history((all) => all.slice(1)), says: /the history is/ },
  otherStop(3, "end_turn"),
  { broken: telling("Both are blue.", "Both are red."), says: /what the turn added is/ },
  { model: retold("sky-blue", "grey"), says: /is not fed the result "sky-blue"/ },
  { model: retold("sea-blue", "grey"), says: /is not fed the result "sea-blue"/ }
]

const deciding = (granted: boolean) =>
  asking(
    turns,
    messages((all) =>
      all.map((message) =>
        message["role"] === "tool_permission" ? { ...message, granted, reason: "once is enough" } : message
      )
    )
  )

/** Servers that break the rules of `rules/OpenCalls.ts`. */
export const cases: Cases = {
  "part-answered": whileOpen("the answer of one of two open calls"),
  "user-while-open": [
    ...whileOpen("a user message while calls are open"),
    { broken: at(turns, 2, both(denying(422), elsewhere)), says: /is fed a user message that is refused/ }
  ],
  "granted-beside-denied": [
    otherStop(1, "tool_use"),
    {
      broken: added((all) => all.map((message) => ({ ...message, content: array(message["content"]).slice(1) }))),
      says: /the turn has not both calls/
    },
    otherStop(2, "end_turn"),
    { broken: deciding(false), says: /the granted call has the results \["[^"]*\\"[^"]*once is enough/ },
    {
      broken: added((all) =>
        all.flatMap((message) => (message["toolCallId"] === "call_002" ? [message, message] : [message]))
      ),
      says: /one, of its run, would be right/
    },
    { broken: deciding(true), says: /its denial alone would be right/ },
    { model: fed((message) => ({ ...message, content: "denied" }), "tool"), says: /one result and one denial/ },
    {
      model: lastResultTwice,
      says: /one result and one denial/
    },
    otherStopInDelta("tool_use")
  ]
}
