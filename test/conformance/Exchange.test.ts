import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { maxBody, recorder } from "../../src/conformance/Exchange.ts"

const request = { method: "GET", path: "/meta" }

describe("a recorder", () => {
  it.effect("shows a body as it was, however it was cut", () =>
    Effect.gen(function* () {
      const text = "東京 👩‍🚀\u2028é"
      const { begin, exchanges } = yield* recorder
      const { answered, received } = yield* begin(request)
      yield* answered({ status: 200, contentType: "text/plain" })
      for (const byte of new TextEncoder().encode(text)) yield* received(Uint8Array.of(byte))
      assert.deepStrictEqual(yield* exchanges, [{ ...request, status: 200, contentType: "text/plain", received: text }])
    })
  )

  it.effect("keeps the beginning of a long body, in whole characters, and says how much more there was", () =>
    Effect.gen(function* () {
      const { begin, exchanges } = yield* recorder
      const { received } = yield* begin({ ...request, sent: "a".repeat(maxBody + 1) })
      yield* received(new TextEncoder().encode(`a${"é".repeat(maxBody)}`))
      yield* received(new Uint8Array(7))
      const [exchange] = yield* exchanges
      assert.strictEqual(exchange?.received, `a${"é".repeat(maxBody / 2 - 1)}\n… (${maxBody + 1 + 7} more bytes)`)
      assert.strictEqual(exchange?.sent, `${"a".repeat(maxBody)}\n… (1 more characters)`)
    })
  )

  it.effect("keeps requests in the order in which they began", () =>
    Effect.gen(function* () {
      const { begin, exchanges } = yield* recorder
      const first = yield* begin({ ...request, path: "/first" })
      const second = yield* begin({ ...request, path: "/second" })
      yield* second.answered({ status: 200 })
      yield* first.answered({ status: 404 })
      assert.deepStrictEqual(
        (yield* exchanges).map(({ path, status }) => [path, status]),
        [
          ["/first", 404],
          ["/second", 200]
        ]
      )
    })
  )
})
