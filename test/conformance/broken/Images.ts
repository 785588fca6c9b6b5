import { asking, turns } from "../Broken.ts"
import type { Cases } from "../Case.ts"
import { array, messages } from "../Change.ts"

/** Servers that break the rules of `rules/Images.ts`. */
export const cases: Cases = {
  images: [
    {
      broken: asking(
        turns,
        messages((all) =>
          all.map((message) => ({
            ...message,
            content: array(message["content"]).filter(({ type }) => type === "text")
          }))
        )
      ),
      says: /the model is given no image/
    }
  ]
}
