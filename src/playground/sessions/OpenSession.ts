import { Option, Schema } from "effect"
import { SessionId } from "../../protocol/Session.ts"

const place = "effect-aap/session"
const Kept = Schema.Struct({ baseUrl: Schema.String, sessionId: SessionId })
const Stored = Schema.fromJsonString(Kept)
const decode = Schema.decodeUnknownOption(Stored)
const encode = Schema.encodeSync(Stored)

/** Where the session is kept: a tab's `sessionStorage`. */
export type Place = Pick<Storage, "getItem" | "setItem" | "removeItem">

/** Keeps which session of which server is open, for the page to go on with when it is loaded again. */
export const remember = (storage: Place, baseUrl: string, sessionId: SessionId): void =>
  storage.setItem(place, encode({ baseUrl, sessionId }))

/** Nothing is gone on with. */
export const forget = (storage: Place): void => storage.removeItem(place)

/** The session that was open at this server; where it was another server's, it is forgotten. */
export const remembered = (storage: Place, baseUrl: string): SessionId | undefined => {
  const kept = Option.filter(decode(storage.getItem(place)), (kept) => kept.baseUrl === baseUrl)
  if (Option.isNone(kept)) forget(storage)
  return Option.getOrUndefined(Option.map(kept, ({ sessionId }) => sessionId))
}
