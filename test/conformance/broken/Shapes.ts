import { answering, answeringJson, asking, turns } from "../Broken.ts"
import type { Cases } from "../Case.ts"
import { array, without, inAgent, messages, history } from "../Change.ts"

/** Servers that break the rules of `rules/Shapes.ts`. */
export const cases: Cases = {
  "session-setup": [{ broken: answeringJson("GET /sessions/*", without("tools")), says: /tools is nothing/ }],
  secrets: [
    {
      broken: answering("GET /sessions/*", ({ text }) => ({ text: text.replace("***", "hunter2") })),
      says: /"\*\*\*" would be right/
    }
  ],
  options: [
    {
      broken: asking(
        turns,
        inAgent((agent) => ({ ...agent, options: {} }))
      ),
      says: /the option size/
    }
  ],
  "server-tools-replaced": [{ broken: asking(turns, without("agent")), says: /agent\.tools/ }],
  "client-tools": [{ broken: asking("POST /sessions", without("tools")), says: /without aap_lookup/ }],
  "client-tools-replaced": [{ broken: asking(turns, without("tools")), says: /tools is/ }],
  "server-tools-off": [
    {
      broken: asking(
        "POST /sessions",
        inAgent((agent) => ({ ...agent, tools: [{ name: "current_time" }] }))
      ),
      says: /which is off/
    }
  ],
  "seeded-messages": [{ broken: asking("POST /sessions", without("messages")), says: /is not fed what user said/ }],
  "content-blocks": [
    {
      broken: asking(
        turns,
        messages((all) => all.map((message) => ({ ...message, content: array(message["content"]).slice(-1) })))
      ),
      says: /is not fed the first block/
    }
  ],
  "agent-name": [
    {
      broken: answeringJson("GET /sessions/*", (info) => ({ ...info, agent: { name: "aap-other-agent" } })),
      says: /agent\.name is "aap-other-agent"/
    }
  ],
  "permissions-not-stored": [
    {
      broken: history((all) => [...all, { role: "tool_permission", toolCallId: "call_1", granted: true }]),
      says: /tool_permission/
    }
  ]
}
