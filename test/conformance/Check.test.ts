import { NodeHttpServer } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { createServer } from "node:http"
import { Effect, Layer, Redacted } from "effect"
import { FetchHttpClient, HttpRouter, HttpServer } from "effect/http"
import * as Agent from "../../src/agent/Agent.ts"
import * as Check from "../../src/conformance/Check.ts"
import * as ScriptedModel from "../../src/conformance/ScriptedModel.ts"
import * as OpenAiChat from "../../src/model/OpenAiChat.ts"
import { currentTime } from "../../src/tool/CurrentTime.ts"
import { ToolRegistry } from "../../src/tool/ToolRegistry.ts"
import { testServer, baseUrl } from "../support/TestServer.ts"

const model = HttpRouter.serve(ScriptedModel.routes, { disableLogger: true, disableListenLog: true }).pipe(
  Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" }))
)

const agent = Agent.make({
  name: "agent",
  instructions: "You are checked.",
  tools: ["current_time"],
  capabilities: { ...Agent.defaultCapabilities, image: { data: {} } },
  options: [
    { type: "secret", name: "token", default: "" },
    { type: "text", name: "tone", default: "warm" },
    { type: "select", name: "size", options: ["small", "large"], default: "small" }
  ]
})

describe("a check", () => {
  it.live("passes our own server", () =>
    Effect.gen(function* () {
      const modelUrl = HttpServer.formatAddress((yield* HttpServer.HttpServer).address)
      yield* Effect.gen(function* () {
        const results = yield* Check.check({
          baseUrl: yield* baseUrl,
          modelUrl,
          key: Redacted.make("key-of-the-check")
        })
        for (const { outcome, rule } of results) {
          console.log(
            rule.id,
            outcome._tag,
            outcome._tag === "Fail" ? outcome.message : outcome._tag === "NotApplicable" ? outcome.reason : ""
          )
          if (outcome._tag === "Fail") console.log(JSON.stringify(outcome.exchanges, null, 1).slice(0, 3000))
        }
      }).pipe(
        Effect.provide(FetchHttpClient.layer),
        Effect.provide(
          testServer({
            agents: [agent],
            model: OpenAiChat.layer({ baseUrl: `${modelUrl}/v1`, reasoning: true } as never).pipe(
              Layer.provide(FetchHttpClient.layer)
            ),
            tools: ToolRegistry.layer(currentTime),
            server: { apiKeys: [{ name: "check", key: Redacted.make("key-of-the-check") }] }
          })
        )
      )
    }).pipe(Effect.provide(model))
  )
})
