import { answering, turns } from "../Broken.ts"
import type { Cases } from "../Case.ts"
import { history } from "../Change.ts"

/** Servers that break the rules of `rules/Sturdy.ts`. */
export const cases: Cases = {
  unicode: [{ broken: answering(turns, ({ text }) => ({ text: text.normalize("NFC") })), says: /e\\?\u0301|e\u0301/ }],
  disconnect: [{ broken: history((all) => all.slice(1)), says: /the first message of the history/ }],
  "sessions-apart": [
    {
      broken: answering(turns, ({ text }) => ({ text: text.replace("answer 3", "answer 4") })),
      says: /answer 3/
    }
  ],
  "turns-one-by-one": [{ broken: history((all) => all.slice(2)), says: /messages of 1 turns/ }]
}
