import { Result } from "effect"
import type { SecretBox } from "./SecretBox.ts"
import type { Principal } from "./Session.ts"

const contextOf = (owner: Principal): string => `cursor ${owner}`

/** The opaque cursor of a place in an owner's list. It tells nobody how many sessions there are. */
export const encode = (box: SecretBox["Service"], owner: Principal, sequence: number): string =>
  box.seal(String(sequence), contextOf(owner))

/** The place of a cursor; `undefined` where the text is none that was made for this owner. */
export const decode = (box: SecretBox["Service"], owner: Principal, cursor: string): number | undefined =>
  Result.getOrUndefined(Result.map(box.open(cursor, contextOf(owner)), Number))
