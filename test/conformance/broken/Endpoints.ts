import { answering, answeringJson, histories, knownKey, status, turns } from "../Broken.ts"
import type { Cases } from "../Case.ts"
import { array, object } from "../Change.ts"

/** Servers that break the rules of `rules/Endpoints.ts`. */
export const cases: Cases = {
  meta: [
    {
      broken: answeringJson("GET /meta", (meta) => ({
        ...meta,
        agents: [...array(meta["agents"]), ...array(meta["agents"])]
      })),
      says: /an agent is there twice/
    }
  ],
  json: [
    { broken: answering("GET /sessions", () => ({ type: "text/html" })), says: /application\/json would be right/ }
  ],
  "create-session": [
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
    }
  ],
  "list-sessions": [
    {
      broken: answeringJson("GET /sessions", (page) => ({ ...page, sessions: array(page["sessions"]).slice(1) })),
      says: /are not listed/
    }
  ],
  "delete-session": [
    {
      broken: (asked, send) =>
        asked.method === "DELETE" ? Promise.resolve(new Response(null, { status: 204 })) : send(asked),
      says: /answers 200; 404 would be right/
    }
  ],
  "unknown-session": [{ broken: status(turns, 404, 500), says: /answers 500; 404 would be right/ }],
  "history-types": [
    {
      broken: answeringJson(histories, ({ history }) => ({ history: { ...object(history), full: [], compacted: [] } })),
      says: /the names under history/
    }
  ],
  authorization: [
    {
      broken: (asked, send) => send(asked.method === "DELETE" ? { ...asked, key: knownKey } : asked),
      says: /without a key; 401 would be right/
    }
  ]
}
