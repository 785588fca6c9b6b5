import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Tracer } from "effect"
import * as JsonLog from "../../src/telemetry/JsonLog.ts"
import * as SafeSpan from "../../src/telemetry/SafeSpan.ts"
import * as UnseenSpans from "../../src/telemetry/UnseenSpans.ts"

/** What is logged in a span beneath a span, as the layer has it beneath another. */
const logged = (above: Layer.Layer<never> = Layer.empty) => {
  const lines: Array<Readonly<Record<string, unknown>>> = []
  const logger = Logger.map(JsonLog.format, (line) => void lines.push(JSON.parse(line)))
  return Effect.logInfo("said").pipe(
    Effect.withSpan("of another"),
    SafeSpan.within("of ours", { count: 1 }, () => undefined),
    Effect.provide([Logger.layer([logger]), Layer.provide(UnseenSpans.layer, above)]),
    Effect.as(lines)
  )
}

const caller = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" }

describe("spans that nobody sees", () => {
  it.effect("are not named in logs", () =>
    Effect.gen(function* () {
      const [line] = yield* logged()
      assert.doesNotHaveAnyKeys(line, ["traceId", "spanId"])
    })
  )

  it.effect("have the name of what is above them all", () =>
    Effect.gen(function* () {
      const [line] = yield* Effect.withParentSpan(logged(), Tracer.externalSpan(caller))
      assert.deepInclude(line, caller)
    })
  )

  it.effect("are unseen beneath one another, and made where somebody sees them", () =>
    Effect.gen(function* () {
      const made: Array<string> = []
      const exporter = Tracer.make({
        span: (options) => {
          made.push(options.name)
          return Tracer.nativeTracer.span(options)
        }
      })
      assert.isFalse(yield* Effect.provide(UnseenSpans.isSeen, UnseenSpans.layer))
      yield* logged(UnseenSpans.layer)
      assert.deepStrictEqual(made, [])
      yield* Effect.provideService(logged(), Tracer.Tracer, exporter)
      assert.deepStrictEqual(made, ["of ours", "of another"])
    })
  )
})
