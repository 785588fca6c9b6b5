import type { Cases } from "../Case.ts"
import { object, history } from "../Change.ts"

/** Servers that break the rules of `rules/Histories.ts`. */
export const cases: Cases = {
  "full-history": [{ broken: history((all) => all.toReversed()), says: /the history is/ }],
  "history-after-error": [{ broken: history((all) => all.slice(1)), says: /the history is/ }],
  "server-feeds": [
    {
      broken: async (asked, send) => {
        if (!/\/turns$/.test(asked.path)) return send(asked)
        const fresh = await send({ ...asked, path: "/sessions", body: { agent: { name: "agent" } } })
        const { sessionId } = object(await fresh.json())
        return send({ ...asked, path: `/sessions/${sessionId}/turns` })
      },
      says: /without the turn before/
    }
  ],
  resume: [{ broken: history((all) => all.slice(0, -1)), says: /without the open call/ }],
  "compacted-history": [{ broken: history((all) => all.slice(0, -1)), says: /the end of the compacted history/ }]
}
