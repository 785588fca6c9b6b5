import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { run } from "../support/CommandLine.ts"
import { collector } from "../support/OtlpCollector.ts"
import { askProcess, startServer } from "../support/ServerProcess.ts"

const idOf = ({ json }: { readonly json: unknown }) => (json as { readonly sessionId: string }).sessionId

describe("a server's telemetry", () => {
  it.live("goes where the OTEL_* variables say, the last of it when the server ends", () =>
    Effect.gen(function* () {
      const taken = yield* collector
      const server = yield* startServer({ ...taken.env, DATABASE_URL: "memory:", AAP_LOG: "json" })
      const tools = [{ name: "current_time", trust: true }]
      const id = idOf(yield* askProcess(server, "/sessions", { agent: { name: "assistant", tools } }))
      const turn = (content: string) =>
        askProcess(server, `/sessions/${id}/turns`, { messages: [{ role: "user", content }] })
      yield* turn("What time is it?")
      yield* turn("fail, for the sake of it")
      yield* server.kill("SIGTERM")
      assert.strictEqual(yield* server.exit, 0)

      assert.sameMembers([...taken.paths()], ["/v1/traces", "/v1/metrics", "/v1/logs"])
      assert.deepStrictEqual([...taken.services()], ["test"])
      const names = new Set(taken.spans().map(({ name }) => name))
      assert.containsAllKeys(Object.fromEntries([...names].map((name) => [name, 1])), [
        "invoke_agent assistant",
        "step",
        "chat demo",
        "execute_tool current_time",
        "store commit"
      ])
      assert.includeMembers(
        [...taken.metrics()],
        ["aap.turns", "aap.turns.active", "aap.deltas", "aap.store.duration", "gen_ai.client.operation.duration"]
      )
      assert.include(taken.text("/v1/logs"), "a turn failed")
      assert.notInclude(taken.text(), "for the sake of it")

      const [line = ""] = server.printed().match(/^\{"timestamp".*$/m) ?? []
      assert.deepInclude(JSON.parse(line), {
        level: "WARN",
        message: "a turn failed",
        sessionId: id,
        turnId: `${id}.2`
      })
    })
  )

  it.live("is lines for people, by a level, where that is asked for", () =>
    Effect.gen(function* () {
      const fails = (env: Readonly<Record<string, string>>) =>
        Effect.gen(function* () {
          const server = yield* startServer({ DATABASE_URL: "memory:", ...env })
          const id = idOf(yield* askProcess(server, "/sessions", { agent: { name: "assistant" } }))
          yield* askProcess(server, `/sessions/${id}/turns`, { messages: [{ role: "user", content: "fail" }] })
          yield* server.kill("SIGTERM")
          yield* server.exit
          return server.printed()
        })
      const pretty = yield* fails({ AAP_LOG: "pretty" })
      assert.match(pretty, /^\[.*WARN.*a turn failed/m)
      assert.notInclude(pretty, '{"timestamp"')
      assert.notInclude(yield* fails({ AAP_LOG_LEVEL: "error" }), "a turn failed")
    })
  )

  it.live("is read at /metrics by whom AAP_METRICS says", () =>
    Effect.gen(function* () {
      const statusWith = Effect.fnUntraced(function* (env: Readonly<Record<string, string>>) {
        const server = yield* startServer({ DATABASE_URL: "memory:", AAP_API_KEYS: "ada:one", ...env })
        const { status } = yield* Effect.promise(() => fetch(`${server.baseUrl}/metrics`))
        return status
      }, Effect.scoped)
      assert.deepStrictEqual(
        [yield* statusWith({}), yield* statusWith({ AAP_METRICS: "on" }), yield* statusWith({ AAP_METRICS: "off" })],
        [401, 200, 404]
      )
    })
  )

  it.live.each([
    { variable: "AAP_LOG", value: "xml", says: "json or pretty" },
    { variable: "AAP_LOG_LEVEL", value: "loud", says: "trace, debug, info, warn, error, none" },
    { variable: "AAP_METRICS", value: "maybe", says: "key, on, off" },
    { variable: "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", value: "some", says: "true or false" },
    { variable: "OTEL_EXPORTER_OTLP_ENDPOINT", value: "nowhere", says: "such as http://127.0.0.1:4318" },
    {
      variable: "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
      value: "ftp://127.0.0.1",
      says: "such as http://127.0.0.1:4318"
    },
    { variable: "OTEL_EXPORTER_OTLP_COMPRESSION", value: "brotli", says: "gzip or none" },
    { variable: "OTEL_EXPORTER_OTLP_LOGS_TIMEOUT", value: "-1", says: "a number of milliseconds" },
    { variable: "OTEL_TRACES_EXPORTER", value: "console", says: "otlp or none" },
    { variable: "OTEL_EXPORTER_OTLP_PROTOCOL", value: "grpc", says: "http/json" }
  ])("says what is wrong with $variable", ({ says, value, variable }) =>
    Effect.gen(function* () {
      const { code, stderr } = yield* run(["serve"], { DATABASE_URL: "memory:", PORT: "0", [variable]: value })
      assert.strictEqual(code, 1)
      assert.include(stderr, `effect-aap cannot start. ${variable}: `)
      assert.include(stderr, says)
    })
  )
})
