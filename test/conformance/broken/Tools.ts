import { answeringJson, asking, streaming, turns } from "../Broken.ts"
import type { Cases } from "../Case.ts"
import { without, messages, history, trusting, is, isTool, twice, inDelta, before } from "../Change.ts"

/** Servers that break the rules of `rules/Tools.ts`. */
export const cases: Cases = {
  "client-call": [
    {
      broken: asking(
        turns,
        messages((all) => all.map((message) => (isTool(message) ? { ...message, content: "red" } : message)))
      ),
      says: /is not fed the result/
    },
    {
      broken: before("turn_stop", "tool_call"),
      says: /the last event is tool_call/
    },
    {
      broken: streaming((events) => events.map((event) => event.replace('"input":{"key":"sky"}', '"input":{}'))),
      says: /the input of the call/
    }
  ],
  "trusted-call": [
    { broken: trusting(false), says: /stops with tool_use; end_turn/ },
    { broken: twice("turn_stop"), says: /turn_stop comes 2 times/ },
    { broken: twice("turn_start"), says: /turn_start comes 2 times/ },
    {
      broken: before("tool_result", "tool_call"),
      says: /comes before its call/
    }
  ],
  "untrusted-call": [
    { broken: trusting(true), says: /stops with end_turn; tool_use/ },
    {
      broken: inDelta((body) => ({ ...body, agent: { tools: [{ name: "current_time", trust: true }] } })),
      says: /stops with end_turn; tool_use/
    }
  ],
  "granted-call": [
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
    }
  ],
  "denied-call": [
    {
      broken: asking(
        turns,
        messages((all) => all.map(without("reason")))
      ),
      says: /without the reason/
    },
    {
      broken: inDelta(messages((all) => all.map(without("reason")))),
      says: /without the reason/
    }
  ],
  "calls-first": [
    {
      broken: streaming((events) => {
        const calls = events.filter(is("tool_call"))
        const results = events.filter(is("tool_result"))
        const pairs = calls.flatMap((call, index) => [call, results[index] ?? ""])
        return [...events.slice(0, 1), ...pairs, ...events.slice(1 + pairs.length)]
      }),
      says: /the order of calls and results/
    }
  ],
  "mixed-calls": [{ broken: trusting(false), says: /have a result before the stop/ }],
  "open-calls-together": [{ broken: trusting(true), says: /answers 422; 200 would be right/ }],
  "no-echo": [
    {
      broken: streaming((events) => [
        ...events.slice(0, 1),
        'event: tool_result\ndata: {"toolCallId":"call_1","content":"blue"}\n\n',
        ...events.slice(1)
      ]),
      says: /tool_result of the application's own tool/
    }
  ],
  "unique-names": [{ broken: asking("POST /sessions", without("tools")), says: /4xx would be right/ }],
  "answered-once": [
    {
      broken: history((all) => all.flatMap((message) => (isTool(message) ? [message, message] : [message]))),
      says: /2 results of one call/
    }
  ]
}
