import { Option, Schema } from "effect"
import { ModelError, type ModelErrorReason } from "./ModelError.ts"
import type { RefusedRequest } from "./ModelProvider.ts"

const Detail = Schema.Struct({
  message: Schema.optionalKey(Schema.NullOr(Schema.String)),
  code: Schema.optionalKey(Schema.Json),
  type: Schema.optionalKey(Schema.Json)
})

const decodeDetail = Schema.decodeUnknownOption(Detail)
const decodeBody = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ error: Schema.Json })))

/** How servers say that a conversation is too long: OpenAI, vLLM, llama.cpp, Ollama, LM Studio, OpenRouter and others. */
const overflow =
  /context[_ ](?:length|window|size)|maximum context|max_model_len|too many tokens|prompt is too long|exceeds? the (?:available|model's) context|input (?:length|tokens?) .*exceed|reduce the length/i

/** Whether a text says that the conversation is too long for the model. */
export const isOverflow = (text: string): boolean => overflow.test(text)

const filtered =
  /content[_ ](?:filter|policy)|content management policy|moderation_blocked|(?:rejected|blocked|flagged)\b.{0,60}\b(?:safety|moderation)/i

const unauthorized = /invalid[_ ]api[_ ]key|unauthorized|authentication/i
const limited = /rate[_ ]?limit|too many requests|quota/i
const overloaded = /overloaded|unavailable|server_error|capacity|timeout/i

const byText = (text: string): ModelErrorReason | undefined => {
  if (overflow.test(text)) return "context_overflow"
  if (filtered.test(text)) return "refused"
  if (unauthorized.test(text)) return "unauthorized"
  if (limited.test(text)) return "rate_limited"
  return overloaded.test(text) ? "overloaded" : undefined
}

const byStatus = (status: number, text: string): ModelErrorReason => {
  if (status === 401 || status === 403) return "unauthorized"
  if (status === 429) return /insufficient_quota/.test(text) ? "unauthorized" : "rate_limited"
  if (status === 408) return "timeout"
  if (status === 413) return "context_overflow"
  if (status >= 500) return byText(text) === "context_overflow" ? "context_overflow" : "overloaded"
  const told = byText(text)
  return told === "context_overflow" || told === "refused" ? told : "invalid_request"
}

const isRetryable = (reason: ModelErrorReason): boolean =>
  reason === "rate_limited" || reason === "overloaded" || reason === "timeout" || reason === "network"

/** The parts of an error that say what it is, whatever its shape. */
const describe = (error: unknown): string => {
  if (typeof error === "string") return error
  const { code, message, type } = Option.getOrElse(decodeDetail(error), (): typeof Detail.Type => ({}))
  return [message, code, type].filter((part) => typeof part === "string" || typeof part === "number").join(" ")
}

/** The error of an answer whose status is none of success. */
export const refuse = ({ body, retryAfterMillis, status }: RefusedRequest): ModelError => {
  const told = Option.match(decodeBody(body), { onNone: () => body, onSome: ({ error }) => describe(error) })
  const reason = byStatus(status, told)
  return new ModelError({
    reason,
    message: `the model server answered ${status}: ${told.slice(0, 500)}`,
    retryable: isRetryable(reason),
    ...(retryAfterMillis === undefined ? {} : { retryAfterMillis })
  })
}

/** The error that stands in a stream whose status was success. */
export const inStream = (error: unknown): ModelError => {
  const told = describe(error)
  const code = Option.match(decodeDetail(error), { onNone: () => undefined, onSome: ({ code }) => code })
  const reason = typeof code === "number" && code >= 400 ? byStatus(code, told) : (byText(told) ?? "bad_response")
  return new ModelError({
    reason,
    message: `the model server failed while answering: ${told.slice(0, 500)}`,
    retryable: isRetryable(reason) || reason === "bad_response"
  })
}
