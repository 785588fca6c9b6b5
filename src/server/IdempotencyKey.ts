import { createHash } from "node:crypto"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import type { RequestKey } from "../session/KeyedTurn.ts"
import { InvalidRequest } from "./RequestErrors.ts"

const header = "idempotency-key"

/** The `Idempotency-Key` of the request, with a fingerprint of its decoded body; `undefined` where it has none. */
export const read = Effect.fnUntraced(function* (
  body: unknown
): Effect.fn.Return<RequestKey | undefined, InvalidRequest, HttpServerRequest.HttpServerRequest> {
  const key = (yield* HttpServerRequest.HttpServerRequest).headers[header]
  if (key === undefined) return undefined
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    const message = "Expected 1 to 255 visible characters, such as a UUID"
    return yield* new InvalidRequest({ details: [{ path: "Idempotency-Key", message }] })
  }
  return { key, fingerprint: createHash("sha256").update(JSON.stringify(body)).digest("base64url") }
})
