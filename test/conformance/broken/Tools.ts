import { answeringJson, asking, type Break, type Json, matches, status, streaming, turns } from "../Broken.ts"
import { type Cases, otherStop, otherStopInDelta } from "../Case.ts"
import {
  added,
  at,
  before,
  both,
  denying,
  fed,
  history,
  inDelta,
  is,
  isTool,
  messages,
  telling,
  trusting,
  twice,
  without
} from "../Change.ts"

const result = { role: "tool", toolCallId: "call_001", content: "blue" }

const otherId = (message: Json): Json => (isTool(message) ? { ...message, toolCallId: "call_009" } : message)
const otherContent = (message: Json): Json => (isTool(message) ? { ...message, content: "red" } : message)
const doubled = (message: Json): ReadonlyArray<Json> => (isTool(message) ? [message, message] : [message])

/** Feeds the model results as messages of a role that is not a tool's. */
const untold = fed((message) => ({ ...message, role: "function" }), "tool")

/** Takes the first turn of a rule again in place of its third. */
const repeating = (): Break => {
  const bodies: Array<Json | undefined> = []
  return (asked, send) => {
    if (!matches(turns, asked)) return send(asked)
    bodies.push(asked.body)
    return send(bodies.length === 4 ? { ...asked, body: bodies[1] } : asked)
  }
}

/** Servers that break the rules of `rules/Tools.ts`. */
export const cases: Cases = {
  "client-call": [
    otherStop(1, "tool_use"),
    {
      broken: streaming((events) => events.map((event) => event.replace('"input":{"key":"sky"}', '"input":{}'))),
      says: /the input of the call/
    },
    { broken: before("turn_stop", "tool_call"), says: /the last event is tool_call/ },
    {
      broken: answeringJson(
        turns,
        messages((all) => all.filter(({ content }) => typeof content === "string"))
      ),
      says: /the turn has no call of aap_lookup/
    },
    otherStop(2, "end_turn"),
    { broken: telling("It is blue.", "It is red."), says: /what the turn added is/ },
    {
      broken: asking(
        turns,
        messages((all) => all.map(otherContent))
      ),
      says: /is not fed the result/
    },
    { model: untold, says: /is not fed the result/ },
    { broken: history((all) => all.map(otherContent)), says: /the results in the history is/ }
  ],
  "trusted-call": [
    { broken: trusting(false), says: /stops with tool_use; end_turn/ },
    { broken: twice("turn_stop"), says: /turn_stop comes 2 times/ },
    { broken: twice("turn_start"), says: /turn_start comes 2 times/ },
    { broken: before("tool_result", "tool_call"), says: /comes before its call/ },
    { broken: added((all) => all.slice(0, -1)), says: /the roles of what the turn added is/ },
    { model: untold, says: /is not fed the result/ },
    { broken: history((all) => all.map(otherContent)), says: /the history is/ }
  ],
  "untrusted-call": [
    { broken: trusting(true), says: /stops with end_turn; tool_use/ },
    {
      broken: inDelta(
        asking(turns, (body) => ({ ...body, agent: { tools: [{ name: "current_time", trust: true }] } }))
      ),
      says: /stops with end_turn; tool_use/
    },
    { broken: added((all) => [...all, result]), says: /the results of the turn is/ },
    { broken: history((all) => [...all, result]), says: /the results in the history is/ }
  ],
  "granted-call": [
    otherStop(1, "tool_use"),
    otherStop(2, "end_turn"),
    {
      broken: answeringJson(
        turns,
        messages((all) => all.filter((message) => !isTool(message)))
      ),
      says: /the result and then the answer would be right/
    },
    {
      broken: streaming((events) => events.filter((event) => !is("tool_result")(event))),
      says: /the result and then the answer would be right/
    },
    { broken: added((all) => all.map(otherId)), says: /the result and then the answer would be right/ },
    {
      broken: added((all) => [...all, { role: "assistant", content: "more" }]),
      says: /the result and then the answer would be right/
    },
    { broken: telling("done", "over"), says: /the answer is/ },
    { broken: history((all) => all.map(otherContent)), says: /the history is/ }
  ],
  "denied-call": [
    otherStop(1, "tool_use"),
    otherStop(2, "end_turn"),
    {
      broken: asking(
        turns,
        messages((all) => all.map(without("reason")))
      ),
      says: /without the reason/
    },
    {
      broken: inDelta(
        asking(
          turns,
          messages((all) => all.map(without("reason")))
        )
      ),
      says: /without the reason/
    },
    { broken: history((all) => all.flatMap(doubled)), says: /one tool message with the reason would be right/ },
    { broken: history((all) => all.map(otherId)), says: /one tool message with the reason would be right/ },
    { broken: history((all) => all.map(otherContent)), says: /one tool message with the reason would be right/ }
  ],
  "calls-first": [
    otherStop(1, "end_turn"),
    {
      broken: streaming((events) => {
        const calls = events.filter(is("tool_call"))
        const results = events.filter(is("tool_result"))
        const pairs = calls.flatMap((call, index) => [call, results[index] ?? ""])
        return [...events.slice(0, 1), ...pairs, ...events.slice(1 + pairs.length)]
      }),
      says: /the order of calls and results/
    },
    { broken: telling("call_002", "call_001"), says: /two calls have the ids \["call_001","call_001"\]/ },
    {
      broken: streaming((events) =>
        events.map((event) => (is("tool_result")(event) ? event.replace("call_002", "call_009") : event))
      ),
      says: /the ids that are answered is/
    }
  ],
  "mixed-calls": [
    otherStop(1, "tool_use"),
    { broken: trusting(false), says: /have a result before the stop/ },
    otherStop(2, "end_turn"),
    {
      model: messages((all) => all.filter((message) => message !== all.find(isTool))),
      says: /the results of both calls would be right/
    },
    otherStopInDelta("tool_use")
  ],
  "open-calls-together": [
    otherStop(1, "tool_use"),
    { broken: trusting(true), says: /answers 422; 200 would be right/ },
    otherStop(2, "end_turn"),
    {
      broken: at(
        turns,
        2,
        added((all) => all.slice(1))
      ),
      says: /the roles of what the turn added is/
    },
    { broken: history((all) => all.map(otherId)), says: /the calls with a result in the history is/ },
    otherStopInDelta("tool_use")
  ],
  "no-echo": [
    otherStop(1, "tool_use"),
    otherStop(2, "end_turn"),
    {
      broken: streaming((events) => [
        ...events.slice(0, 1),
        'event: tool_result\ndata: {"toolCallId":"call_1","content":"blue"}\n\n',
        ...events.slice(1)
      ]),
      says: /tool_result of the application's own tool/
    }
  ],
  "unique-names": [
    { broken: asking("POST /sessions", without("tools")), says: /turns answers 200 to two tools/ },
    { broken: status("POST /sessions", 422, 500), says: /sessions answers 500 to two tools/ },
    {
      broken: both(asking("POST /sessions", without("tools")), (asked, send) =>
        matches(turns, asked) ? denying(409)(asked, send) : send(asked)
      ),
      says: /the model is asked, though what must be refused is two tools/
    }
  ],
  "answered-once": [
    otherStop(1, "tool_use"),
    otherStop(2, "end_turn"),
    { broken: history((all) => all.flatMap(doubled)), says: /2 results of one call/ },
    { broken: repeating(), says: /the model is asked again by an answer to nothing/ },
    otherStopInDelta("tool_use")
  ]
}
