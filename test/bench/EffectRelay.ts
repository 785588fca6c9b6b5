import { createServer } from "node:http"
import { NodeHttpClient, NodeHttpServer, NodeRuntime } from "@effect/platform-node"
import { Effect, Layer, Stream } from "effect"
import { HttpBody, HttpClient, HttpClientRequest, HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { answering } from "./Control.ts"
import { chunks, start, stop } from "./RelayEvents.ts"

/**
 * The same relay on Effect's HTTP client and server, and nothing else: no server that is built on them can cost less. It
 * takes the port of the model.
 */
const port = process.argv[2]

const relay = Effect.gen(function* () {
  const { url } = yield* HttpServerRequest.HttpServerRequest
  const body = { model: url.split("/").at(-1), stream: true, messages: [{ role: "user", content: "Go on." }] }
  const client = yield* HttpClient.HttpClient
  const response = yield* HttpClientRequest.post(`http://127.0.0.1:${port}/v1/chat/completions`).pipe(
    HttpClientRequest.setBody(HttpBody.jsonUnsafe(body)),
    client.execute
  )
  const read = chunks()
  const encoder = new TextEncoder()
  const events = Stream.mapArray(response.stream, (pieces) => [encoder.encode(pieces.map(read).join(""))] as const)
  const first = Stream.succeed(encoder.encode(start))
  const last = Stream.succeed(encoder.encode(stop))
  return HttpServerResponse.stream(Stream.concat(Stream.concat(first, events), last), {
    contentType: "text/event-stream"
  })
})

const node = createServer({ noDelay: true, keepAlive: true })
const served = HttpServer.serve(relay).pipe(
  Layer.provideMerge(NodeHttpServer.layerServer(() => node, { host: "127.0.0.1", port: 0 })),
  Layer.provide(NodeHttpClient.layerNodeHttpOptions({ keepAlive: true })),
  Layer.provide(NodeHttpServer.layerHttpServices)
)
const ready = Effect.gen(function* () {
  const { address } = yield* HttpServer.HttpServer
  if ("port" in address) answering(address.port, () => Promise.resolve())
})

NodeRuntime.runMain(Layer.launch(Layer.provide(Layer.effectDiscard(ready), served)))
