import { type Cases, otherStop } from "../Case.ts"
import { before, fed, history, retold, telling, without } from "../Change.ts"

/** Servers that break the rules of `rules/Messages.ts`. */
export const cases: Cases = {
  "seeded-roles": [
    otherStop(1, "end_turn"),
    ...["Answer in rhyme.", "Which colour is", "the sea?", "I look.", "Green.", "Green it is."].map((text) => ({
      model: retold(text, ""),
      says: new RegExp(`is not fed "${text.replace("?", "\\?")}"`)
    })),
    { model: fed(without("tool_calls"), "assistant"), says: /is not fed the call that was seeded/ },
    { broken: history((all) => all.slice(1)), says: /the history is/ }
  ],
  "two-user-messages": [
    otherStop(1, "end_turn"),
    { model: retold("Mind the gap.", ""), says: /is not fed the first of two user messages/ },
    { broken: history((all) => all.slice(1)), says: /the history is/ }
  ],
  "text-beside-calls": [
    otherStop(1, "tool_use"),
    { broken: telling("Let me ", "Let us "), says: /what the turn added is/ },
    { broken: before("tool_call", "text_delta"), says: /what the turn added is/ },
    { broken: before("tool_call", "text"), says: /what the turn added is/ },
    { broken: history((all) => all.slice(1)), says: /the history is/ },
    otherStop(2, "end_turn"),
    {
      model: fed((message) => ({ ...message, content: null }), "assistant"),
      says: /is not fed what it said before its calls/
    }
  ]
}
