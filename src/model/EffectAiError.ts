import { Duration } from "effect"
import type { AiError } from "effect/ai"
import { ModelError, type ModelErrorReason } from "./ModelError.ts"
import * as ProviderError from "./ProviderError.ts"

const reasons: Partial<Record<AiError.AiErrorReason["_tag"], ModelErrorReason>> = {
  NetworkError: "network",
  RateLimitError: "rate_limited",
  QuotaExhaustedError: "unauthorized",
  AuthenticationError: "unauthorized",
  ContentPolicyError: "refused",
  InternalProviderError: "overloaded",
  InvalidResponseError: "bad_response",
  InvalidOutputError: "bad_response",
  UnknownError: "bad_response"
}

const isRetryable = (reason: ModelErrorReason, error: AiError.AiError): boolean =>
  error.isRetryable || reason === "bad_response"

/** What a model of `effect/ai` failed with. */
export const make = (error: AiError.AiError): ModelError => {
  const retryAfter = error.retryAfter
  const reason = ProviderError.isOverflow(error.message)
    ? "context_overflow"
    : (reasons[error.reason._tag] ?? "invalid_request")
  return new ModelError({
    reason,
    message: error.message,
    retryable: reason !== "context_overflow" && isRetryable(reason, error),
    cause: error,
    ...(retryAfter === undefined ? {} : { retryAfterMillis: Duration.toMillis(retryAfter) })
  })
}
