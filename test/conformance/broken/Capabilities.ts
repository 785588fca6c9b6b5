import { answeringJson, asking, type Json, turns } from "../Broken.ts"
import type { Cases } from "../Case.ts"
import { array, at, both, denying, refusing, since, without, withoutImages } from "../Change.ts"

const inNone = asking(turns, (body) => ({ ...body, stream: "none" }))

/** Its agents declare these capabilities alone. */
const declaring = (capabilities: Json) =>
  answeringJson("GET /meta", (meta) => ({
    ...meta,
    agents: array(meta["agents"]).map((agent) => ({ ...agent, capabilities }))
  }))

const leaves = [
  ["history", "compacted"],
  ["history", "full"],
  ["stream", "delta"],
  ["stream", "message"],
  ["stream", "none"],
  ["application", "tools"],
  ["image", "http"],
  ["image", "data"]
] as const

/** Servers that break the rules of `rules/Capabilities.ts`. */
export const cases: Cases = {
  capabilities: [
    ...leaves.map(([group, name]) => ({
      broken: declaring({ [group]: { [name]: true } }),
      says: new RegExp(`the capability ${group}\\.${name} is true`)
    })),
    { broken: declaring({ history: { full: [] } }), says: /the capability history\.full is \[\]/ },
    {
      // The first time, a check finds the agent.
      broken: at("GET /meta", 1, refusing(500)),
      says: /GET \/meta answers 500; 200 would be right/
    }
  ],
  "undeclared-modes": [
    { agent: "plain", broken: inNone, says: /answers 200 to a turn in mode delta/ },
    { agent: "plain", broken: at(turns, 2, inNone), says: /answers 200 to a turn in mode message/ },
    { agent: "plain", broken: at(turns, 1, refusing(500)), says: /answers 500 to a turn in mode delta/ },
    {
      agent: "plain",
      broken: since(turns, 1, both(denying(422), inNone)),
      says: /the model is asked, though what must be refused is a turn in mode delta/
    }
  ],
  "undeclared-images": [
    { agent: "plain", broken: withoutImages, says: /answers 200 to an image of the kind http/ },
    { agent: "plain", broken: at(turns, 2, withoutImages), says: /answers 200 to an image of the kind data/ },
    {
      agent: "plain",
      broken: since(turns, 1, both(denying(422), withoutImages)),
      says: /the model is asked, though what must be refused is an image of the kind http/
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
