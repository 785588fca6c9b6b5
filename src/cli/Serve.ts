import { NodeHttpClient } from "@effect/platform-node"
import { Console, Effect, Layer, Option } from "effect"
import { HttpServer, type HttpServerError } from "effect/http"
import { AgentCatalog } from "../agent/AgentCatalog.ts"
import { isLoopback } from "../server/Loopback.ts"
import * as Server from "../server/Server.ts"
import { KeyStore } from "../session/KeyStore.ts"
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
import * as ConfiguredTelemetry from "./ConfiguredTelemetry.ts"
import { InvalidSetting } from "./Setting.ts"
import { type Settings, settings } from "./Settings.ts"

/** Nobody is let in without a key from elsewhere: before the server listens there, there is one. */
const closed = Effect.fnUntraced(function* ({ apiKeys, host }: Settings) {
  if (isLoopback(host) || apiKeys.length > 0 || (yield* (yield* KeyStore).hasKeys)) return
  const problem = `${host} can be reached from elsewhere, and there are no keys; set AAP_API_KEYS=name:key, make one with effect-aap keys add NAME, or set HOST=127.0.0.1`
  return yield* new InvalidSetting({ variable: "HOST", problem })
})

const serverLayer = (settings: Settings) =>
  Server.layer(settings).pipe(
    Layer.provide(Layer.effectDiscard(closed(settings))),
    Layer.provide(AgentCatalog.layer(assistant(ConfiguredModel.nameOf(settings.models[0])))),
    Layer.provide(ToolRegistry.layer(currentTime, WebFetch.make({ allow: settings.webFetchAllow }))),
    Layer.provide(ConfiguredCompaction.layer(settings)),
    Layer.provide(
      Layer.provide(ConfiguredModel.layer(settings), NodeHttpClient.layerNodeHttpOptions({ keepAlive: true }))
    ),
    Layer.provideMerge(Option.match(settings.sessionAge, { onNone: () => Layer.empty, onSome: SessionExpiry.layer })),
    Layer.provideMerge(ConfiguredStore.layer(settings))
  )

const announce = Effect.fnUntraced(function* (settings: Settings) {
  const { address } = yield* HttpServer.HttpServer
  const keys = yield* Effect.flatMap(KeyStore, ({ list }) => list)
  yield* Console.log(banner(baseUrl(address, settings), settings, keys))
})

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
  const announced = Layer.effectDiscard(announce(read)).pipe(
    Layer.provideMerge(serverLayer(read)),
    Layer.provide(ConfiguredTelemetry.layer(read))
  )
  return yield* Layer.launch(announced).pipe(
    Effect.catchTag("ServeError", (error) => Effect.fail(cannotListen(read)(error)))
  )
})
