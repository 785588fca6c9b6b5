import { createServer } from "node:http"
import { NodeHttpServer } from "@effect/platform-node"
import { Context, Effect, Layer } from "effect"
import { HttpRouter, HttpServer, type HttpServerError } from "effect/http"
import * as ScriptedModel from "./ScriptedModel.ts"

/** Where the scripted model listens. */
export interface Listening {
  /** Loopback by itself. It has no keys: elsewhere anybody can ask it what it was asked. */
  readonly host?: string
  /** 4010 by itself; 0 for any that is free. */
  readonly port?: number
}

/** A scripted model that listens: a server of chat completions at `url`/v1. */
export class ScriptedModelServer extends Context.Service<ScriptedModelServer, { readonly url: string }>()(
  "effect-aap/ScriptedModelServer"
) {
  static readonly layer = ({
    host = "127.0.0.1",
    port = 4010
  }: Listening = {}): Layer.Layer<ScriptedModelServer, HttpServerError.ServeError> =>
    Layer.effect(
      ScriptedModelServer,
      Effect.map(HttpServer.HttpServer, ({ address }) => ({ url: HttpServer.formatAddress(address) }))
    ).pipe(
      Layer.provide(HttpRouter.serve(ScriptedModel.routes, { disableLogger: true, disableListenLog: true })),
      Layer.provide(NodeHttpServer.layer(() => createServer({ noDelay: true }), { host, port }))
    )
}
