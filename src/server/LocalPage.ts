import { Result } from "effect"
import { isLoopback } from "./Loopback.ts"
import { OriginNotAllowed } from "./RequestErrors.ts"

/** What a browser tells of where a request comes from, and where it is sent. */
export interface PageHeaders {
  readonly origin?: string | undefined
  readonly host?: string | undefined
}

const isOfThisMachine = ({ hostname }: URL): boolean => isLoopback(hostname.replace(/^\[|\]$/g, ""))

const isOrigin = (origin: string, origins: ReadonlyArray<string>): boolean =>
  URL.canParse(origin) &&
  ((/^https?:$/.test(new URL(origin).protocol) && isOfThisMachine(new URL(origin))) || origins.includes(origin))

const isHost = (host: string, origins: ReadonlyArray<string>): boolean => {
  if (!URL.canParse(`http://${host}`)) return false
  const url = new URL(`http://${host}`)
  return isOfThisMachine(url) || origins.some((origin) => new URL(origin).hostname === url.hostname)
}

/**
 * Whether a request may be let in without a key, as far as a web page can have made it: one that is open on this machine
 * reaches what only this machine reaches.
 *
 * 1. What tells no origin, such as a program, may.
 * 2. A page of this machine may, and one of `origins`; the origin `null`, which any page can have, may not.
 * 3. `Host` is this machine's, or that of one of `origins`: a name that was made to lead here (DNS rebinding) is not.
 */
export const check = (
  { host, origin }: PageHeaders,
  origins: ReadonlyArray<string>
): Result.Result<void, OriginNotAllowed> => {
  if (origin !== undefined && !isOrigin(origin, origins)) return Result.fail(new OriginNotAllowed({ origin }))
  if (host !== undefined && !isHost(host, origins))
    return Result.fail(new OriginNotAllowed({ origin: `http://${host}` }))
  return Result.void
}
