import { Context } from "effect"

/** What an id is of. */
export type IdPrefix = "call" | "sess"

/** Makes ids that nobody can guess and that never repeat, such as `call_…`. Tests replace it with a counter. */
export const Ids = Context.Reference<{ readonly next: (prefix: IdPrefix) => string }>("effect-aap/Ids", {
  defaultValue: () => ({ next: (prefix) => `${prefix}_${globalThis.crypto.randomUUID().replaceAll("-", "")}` })
})
