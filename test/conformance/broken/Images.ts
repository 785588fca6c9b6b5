import type { Cases } from "../Case.ts"
import { fed, history, stopping, textOnly } from "../Change.ts"

const withoutParts = fed(textOnly)

const forgetful = history((all) => all.map(textOnly))

/** Servers that break the rules of `rules/Images.ts`. */
export const cases: Cases = {
  images: [
    { broken: stopping("end_turn", "error"), says: /the turn stops with error; end_turn would be right/ },
    { model: withoutParts, says: /the model is given no image/ },
    { broken: forgetful, says: /the history is/ }
  ],
  "http-images": [
    { broken: forgetful, says: /the history is/ },
    { model: withoutParts, says: /the model is given no image/ }
  ]
}
