import { answeringJson, histories, status, turns } from "../Broken.ts"
import { type Cases, otherStop } from "../Case.ts"
import { array, elsewhere, fed, history, messages, retold, since, telling, until } from "../Change.ts"

/** Changes the blocks of the last message of a history. */
const lastBlocks = (change: (blocks: ReturnType<typeof array>) => ReturnType<typeof array>) =>
  history((all) =>
    all.map((message, index) =>
      index === all.length - 1 && Array.isArray(message["content"])
        ? { ...message, content: change(array(message["content"])) }
        : message
    )
  )

/** Servers that break the rules of `rules/Histories.ts`. */
export const cases: Cases = {
  "full-history": [
    { broken: status(histories, 200, 500), says: /history\?type=full answers 500; 200 would be right/ },
    { broken: answeringJson(histories, () => ({ history: {} })), says: /history\?type=full does not fit/ },
    otherStop(1, "end_turn"),
    { broken: history((all) => all.toReversed()), says: /the history is/ }
  ],
  "history-after-error": [
    otherStop(1, "end_turn"),
    otherStop(2, "error"),
    {
      broken: until(
        turns,
        3,
        history((all) => all.slice(1))
      ),
      says: /the history is/
    },
    otherStop(3, "end_turn"),
    {
      model: messages((all) =>
        all.filter(({ content, role }) => role !== "assistant" || content !== "The sky is blue.")
      ),
      says: /is not fed what was said before/
    },
    {
      model: messages((all) => all.filter(({ role }, index) => role === "system" || index === all.length - 1)),
      says: /is not fed what was said before/
    },
    {
      broken: since(
        turns,
        3,
        history((all) => all.with(1, { role: "assistant", content: "Grey." }))
      ),
      says: /"Grey\."/
    },
    {
      broken: since(
        turns,
        3,
        history((all) => all.slice(0, -1))
      ),
      says: /the history is/
    }
  ],
  "server-feeds": [
    otherStop(1, "end_turn"),
    otherStop(2, "end_turn"),
    { broken: elsewhere, says: /without the turn before/ },
    {
      model: messages((all) => all.filter(({ role }, index) => role !== "user" || index === all.length - 1)),
      says: /without the turn before/
    },
    { model: fed((message) => ({ ...message, content: "Grey." }), "assistant"), says: /without the turn before/ }
  ],
  resume: [
    otherStop(1, "tool_use"),
    { broken: history((all) => all.slice(0, -1)), says: /without the open call/ },
    {
      broken: lastBlocks((blocks) => blocks.map(retold("aap_lookup", "aap_other"))),
      says: /without the open call/
    },
    { broken: lastBlocks((blocks) => [...blocks, ...blocks]), says: /without the open call/ },
    otherStop(2, "end_turn"),
    { broken: telling("Blue.", "Red."), says: /what the turn added is/ }
  ],
  "compacted-history": [
    otherStop(1, "end_turn"),
    { broken: history((all) => all.slice(0, -1)), says: /the end of the compacted history/ }
  ]
}
