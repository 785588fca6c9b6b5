import { NodeHttpClient } from "@effect/platform-node"
import { Console, Effect, Layer } from "effect"
import { HttpServer, type HttpServerError } from "effect/http"
import { AgentCatalog } from "../agent/AgentCatalog.ts"
import * as Server from "../server/Server.ts"
import * as MemorySessionStore from "../session/MemorySessionStore.ts"
import type { SessionStore, StoreError } from "../session/SessionStore.ts"
import * as SqliteClient from "../session/SqliteClient.ts"
import * as SqlSessionStore from "../session/SqlSessionStore.ts"
import { currentTime } from "../tool/CurrentTime.ts"
import { ToolRegistry } from "../tool/ToolRegistry.ts"
import * as WebFetch from "../tool/WebFetch.ts"
import { assistant } from "./Assistant.ts"
import { banner, baseUrl } from "./Banner.ts"
import * as ConfiguredModel from "./ConfiguredModel.ts"
import { InvalidSetting, type Settings, settings } from "./Settings.ts"

const storeLayer = ({ database }: Settings): Layer.Layer<SessionStore, InvalidSetting | StoreError> =>
  database.kind === "memory"
    ? MemorySessionStore.layer()
    : SqlSessionStore.layer({ takeOver: true }).pipe(
        Layer.provide(
          SqliteClient.layer({ filename: database.filename }).pipe(
            Layer.catch(({ message }) =>
              Layer.effectContext(
                Effect.fail(
                  new InvalidSetting({
                    variable: "DATABASE_URL",
                    problem: `${database.filename} cannot be opened: ${message}`
                  })
                )
              )
            )
          )
        )
      )

const serverLayer = (settings: Settings) =>
  Server.layer(settings).pipe(
    Layer.provide(AgentCatalog.layer(assistant(ConfiguredModel.nameOf(settings.models[0])))),
    Layer.provide(ToolRegistry.layer(currentTime, WebFetch.make({ allow: settings.webFetchAllow }))),
    Layer.provide(Layer.provide(ConfiguredModel.layer(settings), NodeHttpClient.layerNodeHttp)),
    Layer.provide(storeLayer(settings))
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
