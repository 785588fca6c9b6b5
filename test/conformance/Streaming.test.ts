import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import * as Check from "../../src/conformance/Check.ts"
import { rules } from "../../src/conformance/Rules.ts"
import { type Break, fetchOf, matches, turns } from "./Broken.ts"
import { withServer } from "./CheckedServer.ts"

/** Sends all that is streamed, and leaves the stream open behind it. */
const endless: Break = async (asked, send) => {
  const response = await send(asked)
  if (!matches(turns, asked) || asked.body?.["stream"] !== "delta" || response.body === null) return response
  const reader = response.body.getReader()
  const open = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { value } = await reader.read()
      if (value === undefined) return new Promise<void>(() => {})
      controller.enqueue(value)
    },
    cancel: () => reader.cancel()
  })
  return new Response(open, response)
}

describe("a rule that reads a stream while it comes", () => {
  it.live("does not wait without end for one that stays open", () =>
    withServer((options) =>
      Effect.gen(function* () {
        const [result] = yield* Effect.provideService(
          Stream.runCollect(
            Check.check({ ...options, patience: "1 second", rules: rules.filter(({ id }) => id === "deltas-at-once") })
          ),
          FetchHttpClient.Fetch,
          fetchOf(options.baseUrl, endless)
        )
        if (result?.outcome._tag !== "Fail") return assert.fail(JSON.stringify(result?.outcome))
        assert.match(result.outcome.message, /does not end within 1s/)
      }).pipe(Effect.provide(FetchHttpClient.layer))
    )
  )
})
