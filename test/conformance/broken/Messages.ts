import { turns } from "../Broken.ts"
import type { Cases } from "../Case.ts"
import { at, before, fed, history, retold, stopping, telling, without } from "../Change.ts"

/** Servers that break the rules of `rules/Messages.ts`. */
export const cases: Cases = {
  "seeded-roles": [
    { broken: stopping("end_turn", "max_tokens"), says: /stops with max_tokens; end_turn/ },
    { model: retold("Answer in rhyme.", ""), says: /is not fed "Answer in rhyme\."/ },
    { model: retold("the sea?", ""), says: /is not fed "the sea\?"/ },
    { model: retold("Green.", "Red."), says: /is not fed "Green\."/ },
    { model: fed(without("tool_calls"), "assistant"), says: /is not fed the call that was seeded/ },
    { broken: history((all) => all.slice(1)), says: /the history is/ }
  ],
  "two-user-messages": [
    { broken: stopping("end_turn", "max_tokens"), says: /stops with max_tokens; end_turn/ },
    { model: retold("Mind the gap.", ""), says: /is not fed the first of two user messages/ },
    { broken: history((all) => all.slice(1)), says: /the history is/ }
  ],
  "text-beside-calls": [
    { broken: stopping("tool_use", "end_turn"), says: /stops with end_turn; tool_use/ },
    { broken: telling("Let me ", "Let us "), says: /what the turn added is/ },
    { broken: before("tool_call", "text_delta"), says: /what the turn added is/ },
    { broken: before("tool_call", "text"), says: /what the turn added is/ },
    { broken: history((all) => all.slice(1)), says: /the history is/ },
    { broken: at(turns, 2, stopping("end_turn", "max_tokens")), says: /stops with max_tokens; end_turn/ },
    {
      model: fed((message) => ({ ...message, content: null }), "assistant"),
      says: /is not fed what it said before its calls/
    }
  ]
}
