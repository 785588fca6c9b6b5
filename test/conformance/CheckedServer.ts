import { Effect, Layer, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import * as Agent from "../../src/agent/Agent.ts"
import type { CheckOptions } from "../../src/conformance/Check.ts"
import { ScriptedModelServer } from "../../src/conformance/ScriptedModelServer.ts"
import * as OpenAiChat from "../../src/model/OpenAiChat.ts"
import { currentTime } from "../../src/tool/CurrentTime.ts"
import { ToolRegistry } from "../../src/tool/ToolRegistry.ts"
import { baseUrl, testServer } from "../support/TestServer.ts"

const key = Redacted.make("the-key-of-the-check")

/** An agent of which every rule has something to say. */
const agent = Agent.make({
  name: "agent",
  instructions: "You are checked.",
  tools: ["current_time"],
  capabilities: {
    history: { full: {}, compacted: {} },
    stream: { delta: {}, message: {}, none: {} },
    application: { tools: {} },
    image: { data: {} }
  },
  options: [
    { type: "secret", name: "token", default: "" },
    { type: "text", name: "tone", default: "warm" },
    { type: "select", name: "size", options: ["small", "large"], default: "small" }
  ]
})

/** Our own server, pointed at the scripted model at this address. */
const server = (modelUrl: string) =>
  testServer({
    agents: [agent],
    model: OpenAiChat.layer({ baseUrl: `${modelUrl}/v1` }).pipe(Layer.provide(FetchHttpClient.layer)),
    tools: ToolRegistry.layer(currentTime),
    server: { apiKeys: [{ name: "check", key }] }
  })

/** Runs something with what a check of our own server needs, the model and the server beside it. */
export const withServer = <A, E>(use: (options: CheckOptions) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.gen(function* () {
    const { url } = yield* ScriptedModelServer
    return yield* Effect.flatMap(baseUrl, (baseUrl) => use({ baseUrl, modelUrl: url, key })).pipe(
      Effect.provide(Layer.orDie(server(url)))
    )
  }).pipe(Effect.provide(Layer.orDie(ScriptedModelServer.layer({ port: 0 }))))
