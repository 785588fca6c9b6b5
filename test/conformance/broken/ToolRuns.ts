import { answeringJson, asking, type Json, turns } from "../Broken.ts"
import { type Cases, otherStop, otherStopInDelta } from "../Case.ts"
import {
  added,
  array,
  at,
  fed,
  history,
  isTool,
  lastResultTwice,
  object,
  telling,
  trusting,
  without
} from "../Change.ts"

/** Gives the first result of a tool to each of its calls. */
const stuck = () => {
  let first: unknown
  return (message: Json): Json => {
    if (!isTool(message)) return message
    first ??= message["content"]
    return { ...message, content: first }
  }
}

/** Has the last of several blocks twice. */
const lastTwice = (content: unknown): unknown =>
  Array.isArray(content) ? [...array(content), ...array(content).slice(-1)] : content

const stuckInAnswers = stuck()

/** Servers that break the rules of `rules/ToolRuns.ts`. */
export const cases: Cases = {
  "off-tool-not-run": [
    otherStop(1, "end_turn"),
    {
      // The session in which the tool is off is the third that is made.
      broken: at(
        "POST /sessions",
        2,
        asking("POST /sessions", () => ({ agent: { name: "agent", tools: [{ name: "current_time" }] } }))
      ),
      says: /waits for an answer to a call of current_time, which is off/
    },
    { broken: added((all) => all.map(stuckInAnswers)), says: /has a result as if it was run/ },
    { model: fed(stuck()), says: /has a result as if it was run/ }
  ],
  "trusted-calls-once": [
    { broken: trusting(false), says: /stops with tool_use; end_turn/ },
    {
      broken: telling("call_002", "call_001"),
      says: /two calls of a step have the ids \["call_001","call_001"\]/
    },
    {
      broken: added((all) => all.map((message) => ({ ...message, content: lastTwice(message["content"]) }))),
      says: /two calls of a step have the ids \["call_001","call_002","call_002"\]/
    },
    {
      broken: added((all) => all.filter((message, index) => !isTool(message) || index !== 1)),
      says: /the calls that have a result is/
    },
    { broken: added((all) => all.slice(0, -1)), says: /the roles of what the turn added is/ },
    { broken: history((all) => all.slice(1)), says: /the history is/ },
    {
      model: fed((message) => ({ ...message, tool_call_id: "call_001" }), "tool"),
      says: /the model is fed the results/
    },
    {
      model: lastResultTwice,
      says: /the model is fed the results/
    },
    otherStopInDelta("end_turn")
  ],
  "setup-persists": [
    otherStop(2, "end_turn"),
    {
      broken: at(
        turns,
        3,
        asking(turns, (body) => ({ ...body, agent: { tools: [{ name: "current_time" }] } }))
      ),
      says: /stops with tool_use; end_turn/
    },
    {
      broken: at(
        turns,
        3,
        asking(turns, (body) => ({ ...body, tools: [] }))
      ),
      says: /in a later turn, without aap_lookup/
    },
    {
      model: (body) => ({
        ...body,
        tools: array(body["tools"]).filter((tool) => object(tool["function"])["name"] !== "current_time")
      }),
      says: /in a later turn, without current_time/
    },
    {
      broken: at("GET /sessions/*", 1, answeringJson("GET /sessions/*", without("tools"))),
      says: /the session after three turns is/
    }
  ]
}
