import {
  answering,
  answeringJson,
  asking,
  type Break,
  histories,
  type Json,
  knownKey,
  status,
  streaming,
  turns
} from "./Broken.ts"

/** A server that breaks a rule, and what the check says of it. */
interface Case {
  readonly broken: Break
  readonly says: RegExp
}

const object = (value: unknown): Json => (typeof value === "object" && value !== null ? { ...value } : {})
const array = (value: unknown): ReadonlyArray<Json> => (Array.isArray(value) ? value : [])

const without =
  (name: string) =>
  (body: Json): Json =>
    Object.fromEntries(Object.entries(body).filter(([other]) => other !== name))

const inAgent =
  (change: (agent: Json) => Json) =>
  (body: Json): Json =>
    body["agent"] === undefined ? body : { ...body, agent: change(object(body["agent"])) }

const messages =
  (change: (messages: ReadonlyArray<Json>) => ReadonlyArray<unknown>) =>
  (body: Json): Json =>
    body["messages"] === undefined ? body : { ...body, messages: change(array(body["messages"])) }

const history = (change: (messages: ReadonlyArray<Json>) => ReadonlyArray<unknown>): Break =>
  answeringJson(histories, ({ history }) => ({
    history: Object.fromEntries(Object.entries(object(history)).map(([type, list]) => [type, change(array(list))]))
  }))

const stopping = (from: string, to: string): Break =>
  answering(turns, ({ text }) => ({ text: text.replace(`"stopReason":"${from}"`, `"stopReason":"${to}"`) }))

const trusting = (trust: boolean): Break =>
  asking(
    "POST /sessions",
    inAgent((agent) => ({ ...agent, tools: array(agent["tools"]).map((tool) => ({ ...tool, trust })) }))
  )

const is =
  (name: string) =>
  (event: string): boolean =>
    event.startsWith(`event: ${name}\n`)

const named =
  (from: string, to: string) =>
  (event: string): string =>
    event.replace(`event: ${from}\n`, `event: ${to}\n`)

const isTool = ({ role }: Json): boolean => role === "tool"

const twice = (name: string): Break =>
  streaming((events) => events.flatMap((event) => (is(name)(event) ? [event, event] : [event])))

const counted = (
  change: (count: number, asked: Parameters<Break>[0], send: Parameters<Break>[1]) => Promise<Response>
): Break => {
  let count = 0
  return (asked, send) => (/\/turns$/.test(asked.path) ? change(count++, asked, send) : send(asked))
}

/** For each rule a server that breaks it. */
export const brokenServers: Readonly<Record<string, Case>> = {
  meta: {
    broken: answeringJson("GET /meta", (meta) => ({
      ...meta,
      agents: [...array(meta["agents"]), ...array(meta["agents"])]
    })),
    says: /an agent is there twice/
  },
  json: { broken: answering("GET /sessions", () => ({ type: "text/html" })), says: /application\/json would be right/ },
  "create-session": {
    broken: async (asked, send) => {
      const response = await send(asked)
      const said = array(asked.body?.["messages"])
      if (asked.path === "/sessions" && said.length > 0) {
        const { sessionId } = object(await response.clone().json())
        await (await send({ ...asked, path: `/sessions/${sessionId}/turns`, body: { messages: said } })).text()
      }
      return response
    },
    says: /the model was asked/
  },
  "get-session": {
    broken: answeringJson("GET /sessions/*", (info) => ({ ...info, sessionId: "sess_other" })),
    says: /sessionId is "sess_other"/
  },
  "list-sessions": {
    broken: answeringJson("GET /sessions", (page) => ({ ...page, sessions: array(page["sessions"]).slice(1) })),
    says: /are not listed/
  },
  "delete-session": {
    broken: (asked, send) =>
      asked.method === "DELETE" ? Promise.resolve(new Response(null, { status: 204 })) : send(asked),
    says: /answers 200; 404 would be right/
  },
  "unknown-session": { broken: status(turns, 404, 500), says: /answers 500; 404 would be right/ },
  "history-types": {
    broken: answeringJson(histories, ({ history }) => ({ history: { ...object(history), full: [], compacted: [] } })),
    says: /the names under history/
  },
  authorization: {
    broken: (asked, send) => send(asked.method === "DELETE" ? { ...asked, key: knownKey } : asked),
    says: /without a key; 401 would be right/
  },
  unicode: { broken: answering(turns, ({ text }) => ({ text: text.normalize("NFC") })), says: /e\\?\u0301|e\u0301/ },
  "session-setup": { broken: answeringJson("GET /sessions/*", without("tools")), says: /tools is nothing/ },
  secrets: {
    broken: answering("GET /sessions/*", ({ text }) => ({ text: text.replace("***", "hunter2") })),
    says: /"\*\*\*" would be right/
  },
  options: {
    broken: asking(
      turns,
      inAgent((agent) => ({ ...agent, options: {} }))
    ),
    says: /the option size/
  },
  "server-tools-replaced": { broken: asking(turns, without("agent")), says: /agent\.tools/ },
  "client-tools": { broken: asking("POST /sessions", without("tools")), says: /without aap_lookup/ },
  "client-tools-replaced": { broken: asking(turns, without("tools")), says: /tools is/ },
  "server-tools-off": {
    broken: asking(
      "POST /sessions",
      inAgent((agent) => ({ ...agent, tools: [{ name: "current_time" }] }))
    ),
    says: /which is off/
  },
  "seeded-messages": { broken: asking("POST /sessions", without("messages")), says: /is not fed what user said/ },
  "content-blocks": {
    broken: asking(
      turns,
      messages((all) => all.map((message) => ({ ...message, content: array(message["content"]).slice(-1) })))
    ),
    says: /is not fed the first block/
  },
  images: {
    broken: asking(
      turns,
      messages((all) =>
        all.map((message) => ({ ...message, content: array(message["content"]).filter(({ type }) => type === "text") }))
      )
    ),
    says: /the first message of the history/
  },
  "agent-name": {
    broken: answeringJson("GET /sessions/*", (info) => ({ ...info, agent: { name: "aap-other-agent" } })),
    says: /agent\.name is "aap-other-agent"/
  },
  "permissions-not-stored": {
    broken: history((all) => [...all, { role: "tool_permission", toolCallId: "call_1", granted: true }]),
    says: /tool_permission/
  },
  "framing-delta": { broken: streaming((events) => events.map((event) => event.replace("\n\n", "\n"))), says: /event/ },
  "framing-message": {
    broken: streaming((events) => events.map((event) => event.replace("data: {", "data: {\ndata: "))),
    says: /2 lines of data/
  },
  "order-delta": { broken: twice("turn_stop"), says: /turn_stop comes 2 times/ },
  "order-message": {
    broken: streaming((events) => [...events.slice(1, -1), ...events.slice(0, 1), ...events.slice(-1)]),
    says: /the first event is/
  },
  "events-delta": {
    broken: streaming((events) =>
      events.map(named("text_delta", "text")).map((event) => event.replace('"delta":', '"text":'))
    ),
    says: /has an event text/
  },
  "events-message": { broken: twice("text"), says: /the texts is/ },
  "deltas-at-once": {
    broken: async (asked, send) => {
      const response = await send(asked)
      return new Response(await response.text(), response)
    },
    says: /none has come within/
  },
  none: {
    broken: answeringJson(turns, (body) => ({
      ...body,
      messages: array(body["messages"]).map((message) => ({
        ...message,
        content: [{ type: "text", text: message["content"] }]
      }))
    })),
    says: /the answer is/
  },
  thinking: {
    broken: answeringJson(
      turns,
      messages((all) =>
        all.map((message) => ({
          ...message,
          content: array(message["content"]).toReversed()
        }))
      )
    ),
    says: /does not begin with thinking/
  },
  "modes-agree": {
    broken: answering(turns, ({ text, type }) =>
      type.startsWith("text/") ? { text: text.replaceAll("Hm.", "Oh.") } : {}
    ),
    says: /what \w+ tells, beside/
  },
  "client-call": {
    broken: asking(
      turns,
      messages((all) => all.map((message) => (isTool(message) ? { ...message, content: "red" } : message)))
    ),
    says: /is not fed the result/
  },
  "trusted-call": { broken: trusting(false), says: /stops with tool_use; end_turn/ },
  "untrusted-call": { broken: trusting(true), says: /stops with end_turn; tool_use/ },
  "granted-call": {
    broken: answeringJson(
      turns,
      messages((all) => all.filter((message) => !isTool(message)))
    ),
    says: /the result and then the answer would be right/
  },
  "denied-call": {
    broken: asking(
      turns,
      messages((all) => all.map(without("reason")))
    ),
    says: /without the reason/
  },
  "calls-first": {
    broken: streaming((events) => {
      const calls = events.filter(is("tool_call"))
      const results = events.filter(is("tool_result"))
      const pairs = calls.flatMap((call, index) => [call, results[index] ?? ""])
      return [...events.slice(0, 1), ...pairs, ...events.slice(1 + pairs.length)]
    }),
    says: /the order of calls and results/
  },
  "mixed-calls": { broken: trusting(false), says: /have a result before the stop/ },
  "open-calls-together": { broken: trusting(true), says: /answers 422; 200 would be right/ },
  "no-echo": {
    broken: streaming((events) => [
      ...events.slice(0, 1),
      'event: tool_result\ndata: {"toolCallId":"call_1","content":"blue"}\n\n',
      ...events.slice(1)
    ]),
    says: /tool_result of the application's own tool/
  },
  "unique-names": { broken: asking("POST /sessions", without("tools")), says: /4xx would be right/ },
  "answered-once": {
    broken: history((all) => all.flatMap((message) => (isTool(message) ? [message, message] : [message]))),
    says: /2 results of one call/
  },
  "stop-end-turn": { broken: stopping("end_turn", "max_tokens"), says: /end_turn would be right/ },
  "stop-max-tokens": { broken: stopping("max_tokens", "end_turn"), says: /max_tokens would be right/ },
  "stop-refusal": { broken: stopping("refusal", "end_turn"), says: /refusal would be right/ },
  "error-delta": {
    broken: streaming((events) => events.filter((event) => !is("turn_stop")(event))),
    says: /no turn_stop/
  },
  "error-message": { broken: twice("turn_stop"), says: /turn_stop comes 2 times/ },
  "error-none": { broken: answering(turns, () => ({ status: 502 })), says: /answers 502; 200 would be right/ },
  "error-midway": { broken: twice("turn_stop"), says: /turn_stop comes 2 times/ },
  "goes-on-after-error": {
    broken: counted((count, asked, send) =>
      // The first turn of a check finds out whether there is one to be made.
      count < 2 ? send(asked) : Promise.resolve(new Response("{}", { status: 409 }))
    ),
    says: /answers 409; 200 would be right/
  },
  disconnect: { broken: history((all) => all.slice(1)), says: /the first message of the history/ },
  "sessions-apart": {
    broken: answering(turns, ({ text }) => ({ text: text.replace("answer 3", "answer 4") })),
    says: /answer 3/
  },
  "turns-one-by-one": { broken: history((all) => all.slice(2)), says: /messages of 1 turns/ },
  "full-history": { broken: history((all) => all.toReversed()), says: /the history is/ },
  "server-feeds": {
    broken: async (asked, send) => {
      if (!/\/turns$/.test(asked.path)) return send(asked)
      const fresh = await send({ ...asked, path: "/sessions", body: { agent: { name: "agent" } } })
      const { sessionId } = object(await fresh.json())
      return send({ ...asked, path: `/sessions/${sessionId}/turns` })
    },
    says: /without the turn before/
  },
  resume: { broken: history((all) => all.slice(0, -1)), says: /without the open call/ },
  "compacted-history": { broken: history((all) => all.slice(0, -1)), says: /the end of the compacted history/ }
}

const inDelta = (change: (body: Json) => Json): Break =>
  asking(turns, (body) => (body["stream"] === "delta" ? change(body) : body))

const before = (one: string, other: string): Break =>
  streaming((events) => {
    const moved = events.filter(is(one))
    const rest = events.filter((event) => !is(one)(event))
    const at = rest.findIndex(is(other))
    return at === -1 ? events : [...rest.slice(0, at), ...moved, ...rest.slice(at)]
  })

/** Servers that handle tools as they should in one body, and not in streams. */
export const brokenInStreams: ReadonlyArray<Case & { readonly rule: string; readonly what: string }> = [
  {
    rule: "untrusted-call",
    what: "runs untrusted tools without permission",
    broken: inDelta((body) => ({ ...body, agent: { tools: [{ name: "current_time", trust: true }] } })),
    says: /stops with end_turn; tool_use/
  },
  {
    rule: "denied-call",
    what: "drops the reason of a denial",
    broken: inDelta(messages((all) => all.map(without("reason")))),
    says: /without the reason/
  },
  {
    rule: "granted-call",
    what: "does not announce a result",
    broken: streaming((events) => events.filter((event) => !is("tool_result")(event))),
    says: /the result and then the answer would be right/
  },
  { rule: "trusted-call", what: "stops twice", broken: twice("turn_stop"), says: /turn_stop comes 2 times/ },
  { rule: "trusted-call", what: "begins twice", broken: twice("turn_start"), says: /turn_start comes 2 times/ },
  {
    rule: "trusted-call",
    what: "gives results before their calls",
    broken: before("tool_result", "tool_call"),
    says: /comes before its call/
  },
  {
    rule: "client-call",
    what: "goes on after its stop",
    broken: before("turn_stop", "tool_call"),
    says: /the last event is tool_call/
  },
  {
    rule: "client-call",
    what: "loses the input of a call",
    broken: streaming((events) => events.map((event) => event.replace('"input":{"key":"sky"}', '"input":{}'))),
    says: /the input of the call/
  }
]
