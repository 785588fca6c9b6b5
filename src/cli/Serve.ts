import { NodeHttpClient } from "@effect/platform-node"
import { Console, Effect, Layer, Option } from "effect"
import { HttpServer, type HttpServerError } from "effect/http"
import { AgentCatalog } from "../agent/AgentCatalog.ts"
import * as Server from "../server/Server.ts"
import * as SessionExpiry from "../session/SessionExpiry.ts"
import type { StoreError } from "../session/SessionStore.ts"
import { currentTime } from "../tool/CurrentTime.ts"
import { ToolRegistry } from "../tool/ToolRegistry.ts"
import * as WebFetch from "../tool/WebFetch.ts"
import { assistant } from "./Assistant.ts"
import { banner, baseUrl } from "./Banner.ts"
import * as ConfiguredCompaction from "./ConfiguredCompaction.ts"
import * as ConfiguredModel from "./ConfiguredModel.ts"
import * as ConfiguredStore from "./ConfiguredStore.ts"
import { InvalidSetting, type Settings, settings } from "./Settings.ts"

const serverLayer = (settings: Settings) =>
  Server.layer(settings).pipe(
    Layer.provide(AgentCatalog.layer(assistant(ConfiguredModel.nameOf(settings.models[0])))),
    Layer.provide(ToolRegistry.layer(currentTime, WebFetch.make({ allow: settings.webFetchAllow }))),
    Layer.provide(ConfiguredCompaction.layer(settings)),
    Layer.provide(
      Layer.provide(ConfiguredModel.layer(settings), NodeHttpClient.layerNodeHttpOptions({ keepAlive: true }))
    ),
    Layer.provideMerge(Option.match(settings.sessionAge, { onNone: () => Layer.empty, onSome: SessionExpiry.layer })),
    Layer.provide(ConfiguredStore.layer(settings))
  )

const announce = (settings: Settings) =>
  Effect.flatMap(HttpServer.HttpServer, ({ address }) => Console.log(banner(baseUrl(address, settings), settings)))

const cannotListen =
  ({ host, port }: Settings) =>
  (error: HttpServerError.ServeError) =>
    new InvalidSetting({
      variable: "PORT",
      problem: `cannot listen on ${host}:${port}: ${error.cause instanceof Error ? error.cause.message : String(error.cause)}`
    })

/** Runs the server as the environment sets it up, until it is interrupted. */
export const serve: Effect.Effect<never, InvalidSetting | StoreError> = Effect.gen(function* () {
  const read = yield* settings
  const announced = Layer.effectDiscard(announce(read)).pipe(Layer.provideMerge(serverLayer(read)))
  return yield* Layer.launch(announced).pipe(
    Effect.catchTag("ServeError", (error) => Effect.fail(cannotListen(read)(error)))
  )
})
