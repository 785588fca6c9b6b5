import { answeringJson, asking, turns } from "../Broken.ts"
import type { Cases } from "../Case.ts"
import { array, at, both, denying, object, refusing, since, without, withoutImages } from "../Change.ts"

const inNone = asking(turns, (body) => ({ ...body, stream: "none" }))

/** Servers that break the rules of `rules/Capabilities.ts`. */
export const cases: Cases = {
  capabilities: [
    {
      broken: answeringJson("GET /meta", (meta) => ({
        ...meta,
        agents: array(meta["agents"]).map((agent) => ({
          ...agent,
          capabilities: { ...object(agent["capabilities"]), stream: { none: true } }
        }))
      })),
      says: /the capability stream\.none is true/
    },
    {
      broken: answeringJson("GET /meta", (meta) => ({
        ...meta,
        agents: array(meta["agents"]).map((agent) => ({ ...agent, capabilities: { history: { full: [] } } }))
      })),
      says: /the capability history\.full is \[\]/
    },
    {
      // The first time, a check finds the agent.
      broken: at("GET /meta", 1, () => Promise.resolve(Response.json({}, { status: 500 }))),
      says: /GET \/meta answers 500; 200 would be right/
    }
  ],
  "undeclared-modes": [
    { agent: "plain", broken: inNone, says: /answers 200 to a turn in mode delta/ },
    { agent: "plain", broken: at(turns, 1, refusing(500)), says: /answers 500 to a turn in mode delta/ },
    {
      agent: "plain",
      broken: since(turns, 1, both(denying(422), inNone)),
      says: /the model is asked by a turn in mode delta/
    }
  ],
  "undeclared-images": [
    { agent: "plain", broken: withoutImages, says: /answers 200 to an image of the kind http/ },
    {
      agent: "plain",
      broken: since(turns, 1, both(denying(422), withoutImages)),
      says: /the model is asked by a turn with an image of the kind http/
    }
  ],
  "undeclared-tools": [
    {
      agent: "plain",
      broken: asking("POST /sessions", without("tools")),
      says: /answers 201 to tools of the application/
    }
  ]
}
