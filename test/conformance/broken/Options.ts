import { answeringJson, asking, matches, turns } from "../Broken.ts"
import type { Cases } from "../Case.ts"
import { array, at, both, denying, inAgent, leaking, object, without } from "../Change.ts"

/** Servers that break the rules of `rules/Options.ts`. */
export const cases: Cases = {
  "option-defaults": [
    {
      broken: answeringJson("GET /meta", (meta) => ({
        ...meta,
        agents: array(meta["agents"]).map((agent) => ({
          ...agent,
          options: array(agent["options"]).map((option) =>
            option["name"] === "size" ? { ...option, default: "huge" } : option
          )
        }))
      })),
      says: /the default of size is "huge", which is none of its options/,
      isFoundBefore: true
    },
    {
      broken: answeringJson(
        "GET /sessions/*",
        inAgent((agent) => ({ ...agent, options: { tone: "cold" } }))
      ),
      says: /the option tone, which was left out, is "cold"/
    },
    {
      broken: both(
        answeringJson("GET /sessions/*", inAgent(without("options"))),
        asking(
          "POST /sessions",
          inAgent((agent) => ({ ...agent, options: { tone: "cold", ...object(agent["options"]) } }))
        )
      ),
      says: /what the model is told where options are left out/
    }
  ],
  "select-options": [
    {
      broken: asking("POST /sessions", inAgent(without("options"))),
      says: /POST \/sessions answers 201 to a value of size/
    },
    { broken: asking(turns, without("agent")), says: /turns answers 200 to a value of size/ },
    {
      broken: at(
        turns,
        1,
        both(
          denying(422),
          asking(turns, (body) => ({ ...body, agent: { options: { size: "large" } } }))
        )
      ),
      says: /the session after a turn that was refused/
    },
    {
      broken: at(turns, 1, both(denying(422), asking(turns, without("agent")))),
      says: /the model is asked, though what must be refused is a value of size that is none of its options/
    }
  ],
  "secrets-on-pages": [
    {
      broken: leaking("POST /sessions", (asked) => matches("GET /sessions", asked) && asked.path.includes("?after=")),
      says: /page 2 of the list of sessions shows a secret/
    }
  ]
}
