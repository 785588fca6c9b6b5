import { answering, streaming, turns } from "../Broken.ts"
import type { Cases } from "../Case.ts"
import { stopping, is, twice, counted } from "../Change.ts"

/** Servers that break the rules of `rules/Stops.ts`. */
export const cases: Cases = {
  "stop-end-turn": [{ broken: stopping("end_turn", "max_tokens"), says: /end_turn would be right/ }],
  "stop-max-tokens": [{ broken: stopping("max_tokens", "end_turn"), says: /max_tokens would be right/ }],
  "stop-refusal": [{ broken: stopping("refusal", "end_turn"), says: /refusal would be right/ }],
  "stop-overflow": [{ broken: stopping("max_tokens", "error"), says: /stops with error; max_tokens would be right/ }],
  "error-delta": [
    {
      broken: streaming((events) => events.filter((event) => !is("turn_stop")(event))),
      says: /no turn_stop/
    }
  ],
  "error-message": [{ broken: twice("turn_stop"), says: /turn_stop comes 2 times/ }],
  "error-none": [{ broken: answering(turns, () => ({ status: 502 })), says: /answers 502; 200 would be right/ }],
  "error-midway": [{ broken: twice("turn_stop"), says: /turn_stop comes 2 times/ }],
  "goes-on-after-error": [
    {
      broken: counted((count, asked, send) =>
        // The first turn of a check finds out whether there is one to be made.
        count < 2 ? send(asked) : Promise.resolve(new Response("{}", { status: 409 }))
      ),
      says: /answers 409; 200 would be right/
    }
  ]
}
