import { answering, type Json, turns } from "../Broken.ts"
import { type Cases, otherStop } from "../Case.ts"
import { at, fed, history, isTool, late, refusing, since, telling } from "../Change.ts"

/** Writes a letter and its mark as one. */
const composed = answering(turns, ({ text }) => ({ text: text.normalize("NFC") }))

const composedContent = (message: Json): Json => ({
  ...message,
  content: String(message["content"]).normalize("NFC")
})

const isUser = ({ role }: Json): boolean => role === "user"
const isAssistant = ({ role }: Json): boolean => role === "assistant"

/** Servers that break the rules of `rules/Sturdy.ts`. */
export const cases: Cases = {
  unicode: [
    otherStop(1, "tool_use"),
    { broken: at(turns, 1, composed), says: /the input of the call is/ },
    otherStop(2, "end_turn"),
    { broken: at(turns, 2, composed), says: /the answer is/ },
    { model: fed(composedContent, "tool"), says: /the result that the model is fed is/ },
    {
      broken: history((all) => all.map((message) => (isUser(message) ? composedContent(message) : message))),
      says: /the first message of the history is/
    },
    {
      broken: history((all) => all.map((message) => (isTool(message) ? composedContent(message) : message))),
      says: /the result in the history is/
    }
  ],
  disconnect: [
    { broken: late, says: /no delta has come that a client could leave behind/, isAwaited: true },
    { broken: at(turns, 2, refusing(500)), says: /a turn after one that was left is answered 500/ },
    { broken: history((all) => all.slice(1)), says: /the first message of the history is/ },
    { broken: history((all) => all.slice(0, -1)), says: /the end of the history is/ }
  ],
  "sessions-apart": [
    otherStop(1, "end_turn"),
    { broken: telling("answer 3", "answer 4"), says: /what the turn added is/ },
    {
      broken: history((all) =>
        all.map((message) => (isAssistant(message) ? { ...message, content: "other" } : message))
      ),
      says: /the history is/
    }
  ],
  "turns-one-by-one": [
    { broken: at(turns, 1, refusing(500)), says: /two turns at once are answered/ },
    { broken: since(turns, 1, refusing(409)), says: /two turns at once are answered \[409,409\]/ },
    { broken: history((all) => all.slice(1)), says: /the history has \d messages of \d turns/ },
    {
      broken: history((all) =>
        all.map((message) => (isAssistant(message) ? { ...message, content: "other" } : message))
      ),
      says: /a turn in the history is/
    }
  ]
}
