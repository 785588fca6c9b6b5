import { Result } from "effect"
import { isSealed, type SecretBox } from "./SecretBox.ts"
import type { Principal } from "./Session.ts"
import { CursorNotFound, InvalidCursor } from "./SessionStore.ts"

/** As many as the largest sequence has, so that the length of a cursor tells nothing. */
const digits = String(Number.MAX_SAFE_INTEGER).length

const contextOf = (owner: Principal): string => `cursor ${owner}`

/** The opaque cursor of a place in an owner's list. It tells nobody how many sessions there are. */
export const encode = (box: SecretBox["Service"], owner: Principal, sequence: number): string =>
  box.seal(String(sequence).padStart(digits, "0"), contextOf(owner))

/** The place of a cursor that was made for this owner. */
export const decode = (
  box: SecretBox["Service"],
  owner: Principal,
  cursor: string
): Result.Result<number, InvalidCursor | CursorNotFound> => {
  if (!isSealed(cursor)) return Result.fail(new InvalidCursor())
  return Result.mapBoth(box.open(cursor, contextOf(owner)), {
    onFailure: () => new CursorNotFound(),
    onSuccess: Number
  })
}
