import {
  answering,
  answeringJson,
  type Break,
  histories,
  knownKey,
  matches,
  type Place,
  status,
  turns
} from "../Broken.ts"
import type { Cases } from "../Case.ts"
import { array, at, denying, inAgent, object, refusing, without } from "../Change.ts"

/** Breaks what /meta tells once the agent is found by it. */
const later = (broken: Break): Break => at("GET /meta", 1, broken)

/** Answers with these bytes as JSON. */
const bytes =
  (...bytes: ReadonlyArray<number>): Break =>
  () =>
    Promise.resolve(new Response(Uint8Array.from(bytes), { headers: { "content-type": "application/json" } }))

/** A body behind a status that has none, as a server can send it, though no `Response` can be made so. */
const gone = (body: string): Response => Object.defineProperty(new Response(body), "status", { value: 204 })

/** Deletes nothing, and shows no session. */
const hiding: Break = (asked, send) => {
  if (asked.method === "DELETE") return Promise.resolve(new Response(null, { status: 204 }))
  return matches("GET /sessions/*", asked) ? refusing(404)(asked, send) : send(asked)
}

/** What a server shows to those alone who have its key. */
const locked: ReadonlyArray<Place> = [
  "GET /sessions",
  "POST /sessions",
  "GET /sessions/*",
  histories,
  turns,
  "DELETE /sessions/*"
]

/** Lets some in who have not its key. */
const unlocking =
  (place: Place, lets: (key: string | undefined) => boolean): Break =>
  (asked, send) =>
    send(matches(place, asked) && lets(asked.key) ? { ...asked, key: knownKey } : asked)

/** What is read as JSON. */
const readAsJson: ReadonlyArray<Place> = ["GET /meta", "GET /sessions", "GET /sessions/*"]

/** Servers that break the rules of `rules/Endpoints.ts`. */
export const cases: Cases = {
  meta: [
    { broken: later(refusing(500)), says: /GET \/meta answers 500; 200 would be right/ },
    { broken: later(answeringJson("GET /meta", (meta) => ({ ...meta, version: 4 }))), says: /does not fit/ },
    { broken: later(answeringJson("GET /meta", (meta) => ({ ...meta, agents: [] }))), says: /without agent/ },
    {
      broken: answeringJson("GET /meta", (meta) => ({
        ...meta,
        agents: [...array(meta["agents"]), ...array(meta["agents"])]
      })),
      says: /an agent is there twice/
    }
  ],
  json: [
    { broken: at("GET /sessions", 0, refusing(500)), says: /GET \/sessions answers 500; 200 would be right/ },
    ...readAsJson.map((place) => ({
      broken: answering(place, () => ({ type: "text/html" })),
      says: /application\/json would be right/
    })),
    {
      broken: answering("GET /sessions", () => ({ type: "application/json; charset=iso-8859-1" })),
      says: /is of the type "application\/json; charset=iso-8859-1"/
    },
    { broken: at("GET /sessions", 0, bytes(0x22, 0xff, 0x22)), says: /GET \/sessions is no JSON in UTF-8/ },
    { broken: at("GET /sessions", 0, bytes(0x7b)), says: /GET \/sessions is no JSON in UTF-8/ }
  ],
  "create-session": [
    { broken: status("POST /sessions", 201, 200), says: /POST \/sessions answers 200; 201 would be right/ },
    {
      broken: answeringJson("POST /sessions", without("sessionId")),
      says: /the answer to POST \/sessions does not fit/
    },
    {
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
    }
  ],
  "get-session": [
    {
      broken: answeringJson("GET /sessions/*", (info) => ({ ...info, sessionId: "sess_other" })),
      says: /sessionId is "sess_other"/
    },
    {
      broken: answeringJson(
        "GET /sessions/*",
        inAgent((agent) => ({ ...agent, name: "other" }))
      ),
      says: /agent\.name is "other"/
    },
    { broken: status("GET /sessions/*", 200, 500), says: /answers 500; 200 would be right/ },
    { broken: answering("GET /sessions/*", () => ({ text: "{" })), says: /is no JSON: "\{"/ },
    {
      broken: answeringJson("GET /sessions/*", without("agent")),
      says: /the answer to GET \/sessions\/\S+ does not fit/
    }
  ],
  "list-sessions": [
    {
      broken: answering("GET /sessions", () => ({ text: "x".repeat(20_000_001) })),
      says: /has more than 20000000 bytes/
    },
    {
      broken: answeringJson("GET /sessions", (page) => ({ ...page, sessions: array(page["sessions"]).slice(1) })),
      says: /are not listed/
    },
    {
      broken: answeringJson("GET /sessions", (page) => ({
        ...page,
        sessions: array(page["sessions"]).flatMap((session) => [session, session])
      })),
      says: /is listed twice/
    },
    {
      broken: (asked, send) =>
        matches("GET /sessions", asked) ? Promise.resolve(Response.json({ sessions: [], next: "on" })) : send(asked),
      says: /the list does not end within 2000 pages/
    },
    { broken: status("GET /sessions", 200, 500), says: /GET \/sessions answers 500; 200 would be right/ },
    { broken: answeringJson("GET /sessions", without("sessions")), says: /the answer to GET \/sessions does not fit/ }
  ],
  "delete-session": [
    { broken: status("DELETE /sessions/*", 204, 200), says: /answers 200; 204 would be right/ },
    {
      broken: async (asked, send) => (asked.method === "DELETE" ? gone("gone") : send(asked)),
      says: /the answer has 4 bytes/
    },
    {
      broken: (asked, send) =>
        asked.method === "DELETE" ? Promise.resolve(new Response(null, { status: 204 })) : send(asked),
      says: /answers 200; 404 would be right/
    },
    { broken: hiding, says: /the session is still listed/ }
  ],
  "unknown-session": [
    { broken: status("DELETE /sessions/*", 204, 200), says: /answers 200; 204 would be right/ },
    { broken: status("GET /sessions/*", 404, 500), says: /GET \S+ answers 500; 404 would be right/ },
    { broken: status("DELETE /sessions/*", 404, 204), says: /DELETE \S+ answers 204; 404 would be right/ },
    { broken: status(histories, 404, 500), says: /history\?type=full answers 500; 404 would be right/ },
    { broken: status(turns, 404, 500), says: /turns answers 500; 404 would be right/ }
  ],
  "history-types": [
    { broken: at(histories, 0, refusing(500)), says: /type=full answers 500; 200 would be right/ },
    { broken: at(histories, 1, refusing(500)), says: /type=compacted answers 500; 200 would be right/ },
    { agent: "plain", broken: status(histories, 404, 200), says: /answers 200; 404 would be right/ },
    { broken: answeringJson(histories, without("history")), says: /does not fit/ },
    {
      broken: answeringJson(histories, ({ history }) => ({ history: { ...object(history), full: [], compacted: [] } })),
      says: /the names under history/
    }
  ],
  authorization: [
    ...locked.map((place) => ({
      broken: unlocking(place, (key) => key === undefined),
      says: /without a key; 401 would be right/
    })),
    {
      broken: unlocking(turns, (key) => key !== undefined),
      says: /with another key; 401 would be right/
    },
    {
      broken: (asked, send) =>
        asked.method === "DELETE" && asked.key !== knownKey
          ? denying(401)({ ...asked, key: knownKey }, send)
          : send(asked),
      says: /answers 404; 200 would be right/
    }
  ]
}
