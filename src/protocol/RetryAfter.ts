import { DateTime, Option } from "effect"

/**
 * How long a `Retry-After` header asks to wait, in milliseconds from `now`: a number of seconds, or a date. `undefined`
 * where it is neither.
 */
export const parse = (header: string | undefined, now: number): number | undefined => {
  const text = header?.trim()
  if (text === undefined || text === "") return undefined
  const seconds = Number(text)
  if (Number.isFinite(seconds)) return seconds < 0 ? undefined : seconds * 1000
  return Option.getOrUndefined(
    Option.map(DateTime.make(text), (date) => Math.max(0, DateTime.toEpochMillis(date) - now))
  )
}
