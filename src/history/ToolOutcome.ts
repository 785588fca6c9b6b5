import { Predicate, Result, Schema } from "effect"

/** What the model reads where a tool gave nothing. */
export const nothing = "(no output)"

/** How many characters of a result are kept. More would fill a model's context with one call. */
export const maxLength = 1_000_000

const render = (value: unknown): string => {
  if (typeof value === "string") return value
  if (value === undefined || value === null) return ""
  const json = Result.try((): string | undefined => JSON.stringify(value))
  return Result.getOrElse(json, () => "(the tool's output cannot be written as JSON)") ?? ""
}

/** A tool's outcome as the model reads it: a string as it is, anything else as JSON, nothing as a stand-in. */
export const toContent = (value: unknown): string => {
  const text = render(value)
  if (text.trim() === "") return nothing
  return text.length <= maxLength ? text : `${text.slice(0, maxLength)}\n(cut off after ${maxLength} characters)`
}

/** A call whose permission was denied as the model reads it. */
export type DenialText = (reason: string | undefined) => string

const denied = "Tool call denied"

/** `Tool call denied`, and the reason where one is given. */
export const denialText: DenialText = (reason) =>
  reason === undefined || reason.trim() === "" ? denied : `${denied}: ${reason}`

/** The denial that a result tells of, as {@link denialText} writes it; none where it is a result of another kind. */
export const denialOf = (content: string): { readonly reason?: string } | undefined => {
  if (content === denied) return {}
  return content.startsWith(`${denied}: `) ? { reason: content.slice(denied.length + 2) } : undefined
}

const Messaged = Schema.Struct({ message: Schema.NonEmptyString })

/** A typed failure as the model reads it: its message, else what it is. */
export const toFailure = (error: unknown): string => {
  if (Predicate.isObject(error) && Schema.is(Messaged)(error)) return error.message
  if (Predicate.hasProperty(error, "_tag") && typeof error._tag === "string") return error._tag
  return toContent(error)
}
