import { NodeHttpClient, NodeRuntime } from "@effect/platform-node"
import { Config, Console, Effect, Layer, Schema, Stream } from "effect"
import { AgentClient, ClientSession, ClientTool } from "effect-aap/client"

const weather = ClientTool.make({
  name: "get_weather",
  description: "The weather of a place, now.",
  input: Schema.Struct({ location: Schema.String }),
  handler: ({ location }) => Effect.succeed(`${location}: 18°C, cloudy`)
})

const program = Effect.gen(function* () {
  const session = yield* ClientSession.open(
    { name: "assistant", tools: [{ name: "current_time" }] },
    { tools: [weather], permit: ClientSession.grantAll, stream: "message" }
  )
  yield* session
    .say("time and weather in Oslo")
    .pipe(Stream.runForEach(({ event }) => (event.event === "text" ? Console.log(event.data.text) : Effect.void)))
  yield* Effect.flatMap(AgentClient, (client) => client.deleteSession(session.id))
})

const client = Layer.unwrap(
  Effect.map(Config.String("AAP_URL").pipe(Config.withDefault("http://127.0.0.1:3010")), (baseUrl) =>
    AgentClient.layer({ baseUrl })
  )
).pipe(Layer.provide(NodeHttpClient.layerNodeHttp))

program.pipe(Effect.provide(client), NodeRuntime.runMain)
