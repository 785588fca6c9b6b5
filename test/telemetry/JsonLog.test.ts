import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, Redacted } from "effect"
import * as JsonLog from "../../src/telemetry/JsonLog.ts"

/** What is written of one line with these annotations. */
const logged = (annotations: Record<string, unknown>) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const logger = Logger.map(JsonLog.format, (line) => void lines.push(line))
    yield* Effect.logInfo("said\nso").pipe(Effect.annotateLogs(annotations), Effect.provide(Logger.layer([logger])))
    assert.strictEqual(lines.length, 1)
    assert.notInclude(lines[0], "\n")
    return JSON.parse(lines[0] ?? "") as Readonly<Record<string, unknown>>
  })

describe("a log line in JSON", () => {
  it.effect("is there whatever is annotated", () =>
    Effect.gen(function* () {
      const circular: Record<string, unknown> = { name: "loop" }
      circular["self"] = circular
      const line = yield* logged({ requestId: "req-1", count: 10n, circular, key: Redacted.make("key-of-a-test") })
      assert.deepInclude(line, { message: "said\nso", requestId: "req-1" })
      assert.nestedPropertyVal(line, "circular.name", "loop")
      assert.notInclude(JSON.stringify(line), "key-of-a-test")
    })
  )

  it.effect("keeps its own fields", () =>
    Effect.gen(function* () {
      const line = yield* logged({ timestamp: "never", level: "NONE", message: "another" })
      assert.deepInclude(line, { timestamp: "1970-01-01T00:00:00.000Z", level: "INFO", message: "said\nso" })
    })
  )
})
