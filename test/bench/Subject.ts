import { NodeHttpClient, NodeRuntime } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { AgentCatalog } from "../../src/agent/AgentCatalog.ts"
import { assistant } from "../../src/cli/Assistant.ts"
import * as ConfiguredCompaction from "../../src/cli/ConfiguredCompaction.ts"
import * as ConfiguredModel from "../../src/cli/ConfiguredModel.ts"
import * as ConfiguredStore from "../../src/cli/ConfiguredStore.ts"
import { settings } from "../../src/cli/Settings.ts"
import * as Server from "../../src/server/Server.ts"
import { currentTime } from "../../src/tool/CurrentTime.ts"
import { ToolRegistry } from "../../src/tool/ToolRegistry.ts"
import * as WebFetch from "../../src/tool/WebFetch.ts"
import { answering } from "./Control.ts"

/** The server as `npm start` runs it, set up by the environment, and asked over IPC what it takes. */
const main = Effect.gen(function* () {
  const read = yield* settings
  const served = Server.layer(read).pipe(
    Layer.provide(AgentCatalog.layer(assistant(ConfiguredModel.nameOf(read.models[0])))),
    Layer.provide(ToolRegistry.layer(currentTime, WebFetch.make({}))),
    Layer.provide(ConfiguredCompaction.layer(read)),
    Layer.provide(Layer.provide(ConfiguredModel.layer(read), NodeHttpClient.layerNodeHttpOptions({ keepAlive: true }))),
    Layer.provide(ConfiguredStore.layer(read))
  )
  const ready = Effect.gen(function* () {
    const { address } = yield* HttpServer.HttpServer
    if ("port" in address) answering(address.port, () => Promise.resolve())
  })
  return yield* Layer.launch(Layer.provide(Layer.effectDiscard(ready), served))
})

NodeRuntime.runMain(main)
