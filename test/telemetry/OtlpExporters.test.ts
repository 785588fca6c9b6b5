import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Console, Deferred, Effect, Layer } from "effect"
import * as Telemetry from "../../src/telemetry/Telemetry.ts"
import { serve } from "../support/LoopbackServer.ts"

describe("an exporter", () => {
  it.live.each([
    { what: "an answer", begins: false },
    { what: "an answer's end", begins: true }
  ])("does not wait without end for $what: it sends again", ({ begins }) =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const again = yield* Deferred.make<void>()
      const port = yield* serve((request, response) => {
        asked.push(request.url ?? "")
        if (begins) response.writeHead(503).write("{")
        if (asked.length === 2) Deferred.doneUnsafe(again, Effect.void)
      })
      const env = {
        OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: `http://127.0.0.1:${port}/logs`,
        OTEL_EXPORTER_OTLP_TIMEOUT: "20",
        OTEL_BLRP_SCHEDULE_DELAY: "1"
      }
      const telemetry = Telemetry.layer({ log: "json" }).pipe(
        Layer.provideMerge(Layer.succeed(Console.Console, { ...console, error: () => undefined })),
        Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
      )
      yield* Effect.andThen(Effect.logInfo("told"), Deferred.await(again)).pipe(Effect.provide(telemetry))
      assert.deepStrictEqual(asked, ["/logs", "/logs"])
    })
  )
})
