import { Effect, Layer, Redacted } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import * as Agent from "../../src/agent/Agent.ts"
import type { CheckOptions } from "../../src/conformance/Check.ts"
import { ScriptedModelServer } from "../../src/conformance/ScriptedModelServer.ts"
import * as OpenAiChat from "../../src/model/OpenAiChat.ts"
import { currentTime } from "../../src/tool/CurrentTime.ts"
import { ToolRegistry } from "../../src/tool/ToolRegistry.ts"
import type { Json } from "./Broken.ts"
import { baseUrl, testServer } from "../support/TestServer.ts"

const key = Redacted.make("the-key-of-the-check")

/** An agent of which every rule has something to say. */
const agent = Agent.make({
  name: "agent",
  instructions: ({ size, tone }) => `You are checked, in a ${tone} tone, at ${size}.`,
  tools: ["current_time"],
  capabilities: {
    history: { full: {}, compacted: {} },
    stream: { delta: {}, message: {}, none: {} },
    application: { tools: {} },
    image: { http: {}, data: {} }
  },
  options: [
    { type: "secret", name: "token", default: "" },
    { type: "text", name: "tone", default: "warm" },
    { type: "select", name: "size", options: ["small", "large"], default: "small" }
  ]
})

/** An agent that declares one way of answering, and nothing else. */
const plain = Agent.make({ name: "plain", instructions: "You are plain.", capabilities: { stream: { none: {} } } })

/** A client that asks something else than it was to ask. */
const changing = (change: (body: Json) => Json) =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.map(HttpClient.HttpClient, (client) =>
      HttpClient.mapRequest(client, (request) =>
        request.body._tag === "Uint8Array"
          ? HttpClientRequest.bodyText(
              request,
              JSON.stringify(change(JSON.parse(new TextDecoder().decode(request.body.body)))),
              "application/json"
            )
          : request
      )
    )
  )

/** Our own server, pointed at the scripted model at this address, which it asks something else. */
const server = (modelUrl: string, change: (body: Json) => Json) =>
  testServer({
    agents: [agent, plain],
    model: OpenAiChat.layer({ baseUrl: `${modelUrl}/v1` }).pipe(
      Layer.provide(changing(change)),
      Layer.provide(FetchHttpClient.layer)
    ),
    tools: ToolRegistry.layer(currentTime),
    server: { apiKeys: [{ name: "check", key }] }
  })

/**
 * Runs something with what a check of our own server needs, the model and the server beside it. `change` is what the server
 * asks the model in place of what it would.
 */
export const withServer = <A, E>(
  use: (options: CheckOptions) => Effect.Effect<A, E>,
  change: (body: Json) => Json = (body) => body
): Effect.Effect<A, E> =>
  Effect.gen(function* () {
    const { url } = yield* ScriptedModelServer
    return yield* Effect.flatMap(baseUrl, (baseUrl) => use({ baseUrl, modelUrl: url, key })).pipe(
      Effect.provide(Layer.orDie(server(url, change)))
    )
  }).pipe(Effect.provide(Layer.orDie(ScriptedModelServer.layer({ port: 0 }))))
