import { Option, Schema } from "effect"
import { ModelError } from "./ModelError.ts"
import * as ProviderError from "./ProviderError.ts"
import * as RetryAfter from "../protocol/RetryAfter.ts"

/** An error of the SDK's, as far as it is read. Their classes are told by their names, so that no package is needed. */
const SdkError = Schema.Struct({
  name: Schema.String,
  message: Schema.String,
  statusCode: Schema.optionalKey(Schema.UndefinedOr(Schema.Int)),
  responseBody: Schema.optionalKey(Schema.UndefinedOr(Schema.String)),
  responseHeaders: Schema.optionalKey(Schema.UndefinedOr(Schema.Record(Schema.String, Schema.String)))
})
type SdkError = typeof SdkError.Type

const decode = Schema.decodeUnknownOption(SdkError)

const badResponses = /JSONParseError|TypeValidationError|InvalidResponseData|EmptyResponseBody|NoContentGenerated/
const badRequests = /NoSuchModel|InvalidPrompt|InvalidArgument|UnsupportedFunctionality|NoSuchProviderReference/

const describe = (
  { message, name, responseBody, responseHeaders, statusCode }: SdkError,
  cause: unknown,
  now: number
): ModelError => {
  if (statusCode !== undefined && statusCode > 299) {
    const retryAfterMillis = RetryAfter.parse(responseHeaders?.["retry-after"], now)
    return ProviderError.refuse({ status: statusCode, body: responseBody ?? message, retryAfterMillis })
  }
  if (badResponses.test(name)) return new ModelError({ reason: "bad_response", message, retryable: true, cause })
  if (name.includes("LoadAPIKey")) return new ModelError({ reason: "unauthorized", message, retryable: false, cause })
  if (badRequests.test(name)) return new ModelError({ reason: "invalid_request", message, retryable: false, cause })
  return new ModelError({ reason: "network", message, retryable: true, cause })
}

/**
 * What the SDK threw at a time in milliseconds, or sent as a part of a stream: one of its errors, or what the provider
 * said.
 */
export const make =
  (now: number) =>
  (error: unknown): ModelError => {
    const read = decode(error)
    return error instanceof Error && Option.isSome(read)
      ? describe(read.value, error, now)
      : ProviderError.inStream(error)
  }
