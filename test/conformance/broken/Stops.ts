import { answering, answeringJson, streaming, turns } from "../Broken.ts"
import { type Cases, otherStop, otherStopInDelta } from "../Case.ts"
import { at, is, refusing, stopping, telling, twice } from "../Change.ts"

const broken = stopping("error", "end_turn")

/** Servers that break the rules of `rules/Stops.ts`. */
export const cases: Cases = {
  "stop-end-turn": [
    {
      broken: answeringJson(turns, (body) => ({ ...body, messages: [{ role: "user" }] })),
      says: /the answer to POST \S+ does not fit/
    },
    {
      broken: stopping("end_turn", "done"),
      says: /the answer to POST \S+ does not fit/
    },

    { broken: stopping("end_turn", "max_tokens"), says: /end_turn would be right/ },
    otherStopInDelta("end_turn")
  ],
  "stop-max-tokens": [
    { broken: stopping("max_tokens", "end_turn"), says: /max_tokens would be right/ },
    otherStopInDelta("max_tokens")
  ],
  "stop-refusal": [
    { broken: stopping("refusal", "end_turn"), says: /refusal would be right/ },
    otherStopInDelta("refusal")
  ],
  "stop-overflow": [
    { broken: stopping("max_tokens", "error"), says: /stops with error; max_tokens would be right/ },
    otherStopInDelta("max_tokens")
  ],
  "error-delta": [
    { broken, says: /stops with end_turn; error would be right/ },
    { broken: streaming((events) => events.filter((event) => !is("turn_stop")(event))), says: /no turn_stop/ }
  ],
  "error-message": [
    { broken, says: /stops with end_turn; error would be right/ },
    { broken: twice("turn_stop"), says: /turn_stop comes 2 times/ }
  ],
  "error-none": [
    { broken, says: /stops with end_turn; error would be right/ },
    { broken: answering(turns, () => ({ status: 502 })), says: /answers 502; 200 would be right/ }
  ],
  "error-midway": [
    { broken, says: /stops with end_turn; error would be right/ },
    { broken: twice("turn_stop"), says: /turn_stop comes 2 times/ }
  ],
  "goes-on-after-error": [
    otherStop(1, "error"),
    { broken: at(turns, 2, refusing(409)), says: /answers 409; 200 would be right/ },
    otherStop(2, "end_turn"),
    { broken: telling("Here again.", "Gone."), says: /what the turn added is/ }
  ]
}
