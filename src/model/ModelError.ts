import { Schema } from "effect"

/** Why a model did not answer. */
export const ModelErrorReason = Schema.Literals([
  "rate_limited",
  "overloaded",
  "context_overflow",
  "refused",
  "unauthorized",
  "invalid_request",
  "bad_response",
  "timeout",
  "network"
])
export type ModelErrorReason = typeof ModelErrorReason.Type

/**
 * A model request failed. `retryable` says whether the same request may succeed later; `retryAfterMillis` is how long
 * the provider asks to wait, where it does. `message` is for the log: it may quote the provider.
 */
export class ModelError extends Schema.TaggedError<ModelError>()("ModelError", {
  reason: ModelErrorReason,
  message: Schema.String,
  retryable: Schema.Boolean,
  retryAfterMillis: Schema.optionalKey(Schema.Finite),
  cause: Schema.optionalKey(Schema.Defect())
}) {}
