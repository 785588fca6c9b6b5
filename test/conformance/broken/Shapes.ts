import { answering, answeringJson, asking, histories, type Json, matches, status, turns } from "../Broken.ts"
import { type Cases, otherStop } from "../Case.ts"
import { array, at, history, inAgent, leaking, messages, object, refusing, retold, saying, without } from "../Change.ts"

/** The model is told of these tools beside its own. */
const toldOf =
  (...names: ReadonlyArray<string>) =>
  (body: Json): Json => ({
    ...body,
    tools: [...array(body["tools"]), ...names.map((name) => ({ type: "function", function: { name } }))]
  })

/** Servers that break the rules of `rules/Shapes.ts`. */
export const cases: Cases = {
  "session-setup": [
    {
      broken: answeringJson("GET /sessions/*", inAgent(without("tools"))),
      says: /agent\.tools is \[\]; \[\{"name":"current_time","trust":true\}\]/
    },
    { broken: answeringJson("GET /sessions/*", without("tools")), says: /tools is nothing/ },
    {
      broken: at(
        "GET /sessions/*",
        1,
        answering("GET /sessions/*", ({ text }) => ({
          text: text.replace('"current_time"', '"current_time","trust":true')
        }))
      ),
      says: /agent\.tools is \[\{"name":"current_time","trust":true\}\]/
    }
  ],
  secrets: [
    {
      broken: answering("GET /sessions/*", ({ text }) => ({ text: text.replace("***", "hunter2") })),
      says: /"\*\*\*" would be right/
    },
    { broken: status("GET /sessions", 200, 500), says: /GET \/sessions answers 500; 200 would be right/ },
    { broken: answeringJson("GET /sessions", without("sessions")), says: /the answer to GET \/sessions does not fit/ },
    {
      broken: leaking("POST /sessions", (asked) => matches("GET /sessions", asked)),
      says: /the list of sessions shows the secret/
    },
    {
      broken: at("GET /sessions/*", 1, refusing(500)),
      says: /GET \/sessions\/\S+ answers 500; 200 would be right/
    },
    {
      broken: leaking(turns, (asked) => matches("GET /sessions/*", asked)),
      says: /the secret is shown once a turn has changed it/
    },
    {
      broken: answeringJson(turns, (body, asked) => ({ ...body, agent: asked.body?.["agent"] })),
      says: /the secret is shown once a turn has changed it/
    }
  ],
  options: [
    {
      broken: answeringJson(
        "GET /sessions/*",
        inAgent((agent) => ({ ...agent, options: without("tone")(object(agent["options"])) }))
      ),
      says: /the option tone is/
    },
    {
      broken: asking(
        turns,
        inAgent((agent) => ({ ...agent, options: {} }))
      ),
      says: /the option size is/
    }
  ],
  "server-tools-replaced": [
    { broken: asking(turns, without("agent")), says: /agent\.tools is \[\{"name":"current_time","trust":true\}\]/ },
    { model: toldOf("current_time"), says: /the model is still told of current_time/ },
    {
      broken: at(turns, 2, asking(turns, without("agent"))),
      says: /agent\.tools is \[\]; \[\{"name":"current_time","trust":false\}\]/
    },
    { model: without("tools"), says: /the model is not told of current_time/ }
  ],
  "client-tools": [
    { broken: asking("POST /sessions", without("tools")), says: /without aap_lookup/ },
    {
      broken: at(turns, 1, saying({ stopReason: "end_turn", messages: [] })),
      says: /the model is told of \[\], without aap_lookup/
    }
  ],
  "client-tools-replaced": [
    { broken: asking(turns, without("tools")), says: /tools is/ },
    { model: without("tools"), says: /aap_after without aap_before would be right/ },
    { model: toldOf("aap_before"), says: /aap_after without aap_before would be right/ }
  ],
  "server-tools-off": [
    { broken: at(turns, 1, saying({ stopReason: "end_turn", messages: [] })), says: /the model was not asked/ },
    {
      broken: asking(
        "POST /sessions",
        inAgent((agent) => ({ ...agent, tools: [{ name: "current_time" }] }))
      ),
      says: /the model is told of current_time, which is off/
    },
    { model: without("tools"), says: /the model is not told of current_time, which is on/ }
  ],
  "seeded-messages": [
    { broken: asking("POST /sessions", without("messages")), says: /is not fed what user said/ },
    { model: retold("Blue, mostly.", "Grey."), says: /is not fed what assistant said/ },
    { broken: history((all) => all.slice(1)), says: /the history is/ }
  ],
  "content-blocks": [
    otherStop(1, "end_turn"),
    {
      broken: at(
        turns,
        1,
        asking(
          turns,
          messages((all) => all.map((message) => ({ ...message, content: array(message["content"]).slice(-1) })))
        )
      ),
      says: /is not fed the first block/
    },
    {
      broken: history((all) => all.map((message) => ({ ...message, content: JSON.stringify(message["content"]) }))),
      says: /the first message of the history is/
    }
  ],
  "agent-name": [
    {
      broken: answeringJson(
        "GET /sessions/*",
        inAgent((agent) => ({ ...agent, name: "aap-other-agent" }))
      ),
      says: /agent\.name is "aap-other-agent"/
    }
  ],
  "permissions-not-stored": [
    otherStop(1, "tool_use"),
    { broken: status(histories, 200, 500), says: /answers 500; 200 would be right/ },
    {
      broken: history((all) => [...all, { role: "tool_permission", toolCallId: "call_1", granted: true }]),
      says: /the history has a tool_permission message/
    }
  ]
}
