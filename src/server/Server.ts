import { createServer } from "node:http"
import { NodeHttpServer } from "@effect/platform-node"
import { Duration, Effect, Layer } from "effect"
import { HttpMiddleware, HttpRouter, HttpServer, type HttpServerError, UrlParams } from "effect/http"
import { HttpApiBuilder, HttpApiSwagger } from "effect/http-api"
import type { AgentCatalog } from "../agent/AgentCatalog.ts"
import type { ChatModel } from "../model/ChatModel.ts"
import { Api } from "../protocol/Api.ts"
import * as MeasuredSessionStore from "../session/MeasuredSessionStore.ts"
import type { SessionStore } from "../session/SessionStore.ts"
import { CaptureContent } from "../telemetry/CaptureContent.ts"
import * as UnseenSpans from "../telemetry/UnseenSpans.ts"
import type { ToolRegistry } from "../tool/ToolRegistry.ts"
import { TurnRunner } from "../turn/TurnRunner.ts"
import { ActiveTurns } from "./ActiveTurns.ts"
import { type ApiKey, ApiKeys, authorization } from "./ApiKeys.ts"
import { handlers } from "./Handlers.ts"
import * as HealthRoutes from "./HealthRoutes.ts"
import { guard } from "./HttpGuard.ts"
import { isLoopback } from "./Loopback.ts"
import { type MetricsAccess, isProbe } from "./Probes.ts"
import * as MetricsRoute from "./MetricsRoute.ts"
import * as Playground from "./Playground.ts"
import { PageOrigins } from "./PageOrigins.ts"
import { BodyLimit } from "./RequestBody.ts"
import { SseTender } from "./SseTender.ts"

/** How a server listens. */
export interface ServerOptions {
  /** Where to listen; loopback by default. Elsewhere nobody is let in without a key. */
  readonly host?: string
  /** 3010 by default; 0 for any that is free. */
  readonly port?: number
  /** Keys beside those of the `KeyStore`; where neither has any, everybody on this machine is let in. */
  readonly apiKeys?: ReadonlyArray<ApiKey>
  /** Pages from elsewhere, by origin, that a server without keys answers too; none by default. */
  readonly origins?: ReadonlyArray<string>
  /** The largest request body, in bytes; ten megabytes by default. */
  readonly bodyLimit?: number
  /** How long running turns may take once the server is told to end; twenty seconds by default. */
  readonly drainTimeout?: Duration.Input
  /** How long a stream may be silent before a comment is sent; fifteen seconds by default. */
  readonly heartbeat?: Duration.Input
  /** How long a client may leave its stream unread; a minute by default. */
  readonly stallTimeout?: Duration.Input
  /** Whether `/` is the playground, a page to try the agents on; it is by default. */
  readonly playground?: boolean
  /**
   * Who may read `/metrics`: whoever may ask the API (`key`: with a key where there are keys, else this machine alone), which
   * is the default; anybody that reaches the server (`open`); nobody (`off`).
   */
  readonly metrics?: MetricsAccess
  /** Whether spans tell what users and models say; they do not by default. */
  readonly captureContent?: boolean
}

/** Parameters of URLs whose values no span has: any but the protocol's own. Who sends a key as one has sent it nowhere else. */
const untold = [/^(?!(?:after|type)$)/]

/** How long the last bytes may take to reach their clients before connections are cut. */
const flushTimeout = Duration.seconds(2)

const routes = ({ metrics = "key", playground: hasPlayground = true }: ServerOptions) =>
  Layer.mergeAll(
    HealthRoutes.layer,
    metrics === "off" ? Layer.empty : MetricsRoute.layer(metrics),
    HttpApiBuilder.layer(Api, { openapiPath: "/openapi.json" }).pipe(
      Layer.provide(handlers),
      Layer.provide(authorization)
    ),
    HttpApiSwagger.layer(Api, { path: "/docs" }),
    hasPlayground ? Playground.layer() : Playground.off
  )

/** Cuts what is still connected once the last answers had their time, so that the process can end. */
const cutConnections = (server: ReturnType<typeof createServer>) =>
  Layer.effectDiscard(Effect.addFinalizer(() => Effect.sync(() => server.closeAllConnections())))

const millis = (duration: Duration.Input) => Duration.toMillis(Duration.fromInputUnsafe(duration))

const make = (node: ReturnType<typeof createServer>, options: ServerOptions) => {
  const {
    apiKeys = [],
    host = "127.0.0.1",
    drainTimeout = "20 seconds",
    heartbeat = "15 seconds",
    stallTimeout = "1 minute"
  } = options
  const timeouts = { heartbeat: millis(heartbeat), stall: millis(stallTimeout) }
  const http = NodeHttpServer.layerServer(() => node, {
    host,
    port: options.port ?? 3010,
    gracefulShutdownTimeout: flushTimeout
  })
  const app = HttpRouter.toHttpEffect(routes(options))
  // Made before anybody can connect: a request that comes before there is a handler is never answered.
  const served = Layer.unwrap(
    Effect.map(app, (app) =>
      HttpServer.serve(guard(app)).pipe(Layer.provide(cutConnections(node)), Layer.provideMerge(http))
    )
  )
  const drained = Layer.effectDiscard(
    Effect.gen(function* () {
      const turns = yield* ActiveTurns
      yield* Effect.addFinalizer(() => turns.drain(drainTimeout))
    })
  )
  return drained.pipe(
    Layer.provideMerge(served),
    Layer.provide(TurnRunner.layer),
    Layer.provide(MeasuredSessionStore.layer),
    Layer.provide(ApiKeys.layer(apiKeys, { isLoopback: isLoopback(host) })),
    Layer.provide(Layer.succeed(PageOrigins, options.origins ?? [])),
    Layer.provide(Layer.succeed(BodyLimit, options.bodyLimit ?? 10_000_000)),
    Layer.provide(SseTender.layer(timeouts)),
    Layer.provideMerge(ActiveTurns.layer),
    Layer.provide(Layer.succeed(CaptureContent, options.captureContent ?? false)),
    Layer.provide(UnseenSpans.layer),
    Layer.provide(Layer.succeed(HttpMiddleware.TracerDisabledWhen, ({ url }) => isProbe(url))),
    Layer.provide(Layer.succeed(UrlParams.CurrentRedactedNames, untold)),
    Layer.provide(NodeHttpServer.layerHttpServices)
  )
}

/**
 * The HTTP server over the four ports. On its end it first drains: new turns are refused, running ones finish or are
 * abandoned at the deadline with their clients told; then it stops listening and closes what is left.
 */
export const layer = (
  options: ServerOptions = {}
): Layer.Layer<
  HttpServer.HttpServer | ActiveTurns,
  HttpServerError.ServeError,
  AgentCatalog | ChatModel | SessionStore | ToolRegistry
> => Layer.unwrap(Effect.sync(() => make(createServer({ noDelay: true, keepAlive: true }), options)))
