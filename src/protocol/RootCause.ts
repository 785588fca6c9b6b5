import { Predicate } from "effect"

/** How many causes of causes are looked at. */
const maxDepth = 10

const inner = (cause: object): unknown => {
  if (Predicate.hasProperty(cause, "reason") && Predicate.isObject(cause.reason)) return cause.reason
  if (Predicate.hasProperty(cause, "cause") && Predicate.isObject(cause.cause)) return cause.cause
  return cause instanceof AggregateError ? cause.errors[0] : undefined
}

/** What the innermost cause of a failure says: drivers wrap what happened in errors that say only where. */
export const message = (failure: unknown): string => {
  let said = typeof failure === "string" ? failure : ""
  let cause = failure
  for (let depth = 0; depth < maxDepth && Predicate.isObject(cause); depth++) {
    if (Predicate.hasProperty(cause, "message") && typeof cause.message === "string" && cause.message !== "") {
      said = cause.message
    }
    cause = inner(cause)
  }
  return said || "it does not say why"
}
