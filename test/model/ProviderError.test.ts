import { assert, describe, it } from "@effect/vitest"
import * as ProviderError from "../../src/model/ProviderError.ts"

const refuse = (status: number, message: string) =>
  ProviderError.refuse({ status, body: JSON.stringify({ error: { message } }), retryAfterMillis: undefined }).reason

describe("ProviderError", () => {
  it.each([
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
    "Your input exceeds the context window of this model. Please adjust your input and try again.",
    "prompt is too long: 210000 tokens > 200000 maximum",
    "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    "the request exceeds the available context size, try increasing it"
  ])("tells a context overflow: %s", (message) => {
    assert.strictEqual(refuse(400, message), "context_overflow")
  })

  it.each([
    "max_tokens is too large: 500000. This model supports at most 16384 completion tokens.",
    "messages: text content blocks must be non-empty",
    "Invalid value at 'contents[0].role'",
    "Unsupported parameter: 'max_tokens' is not supported with this model."
  ])("from any other bad request: %s", (message) => {
    assert.strictEqual(refuse(400, message), "invalid_request")
  })

  it.each([
    { status: 401, reason: "unauthorized" },
    { status: 403, reason: "unauthorized" },
    { status: 404, reason: "invalid_request" },
    { status: 408, reason: "timeout" },
    { status: 413, reason: "context_overflow" },
    { status: 429, reason: "rate_limited" },
    { status: 500, reason: "overloaded" },
    { status: 529, reason: "overloaded" }
  ])("reads status $status as $reason", ({ reason, status }) => {
    assert.strictEqual(refuse(status, "something"), reason)
  })
})
