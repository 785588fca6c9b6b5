import { Effect, Layer, Metric, Redacted } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import * as ChatCall from "../model/ChatCall.ts"
import * as MeasuredSessionStore from "../session/MeasuredSessionStore.ts"
import { toolCalls } from "../tool/ToolCalls.ts"
import { errors } from "../turn/Errors.ts"
import * as TurnTrace from "../turn/TurnTrace.ts"
import { ApiKeys, identify } from "./ApiKeys.ts"
import { answered } from "./ErrorResponses.ts"
import { PageOrigins } from "./PageOrigins.ts"
import { type MetricsAccess, paths } from "./Probes.ts"
import { activeStreams } from "./TurnResponses.ts"

const ids = (metrics: ReadonlyArray<{ readonly id: string }>): ReadonlySet<string> =>
  new Set(metrics.map(({ id }) => id))

const counters = ids([TurnTrace.turns, TurnTrace.deltas, errors, toolCalls, MeasuredSessionStore.leaseConflicts])
const times = ids([
  TurnTrace.timeToFirstDelta,
  ChatCall.duration,
  ChatCall.timeToFirstChunk,
  MeasuredSessionStore.duration
])

/**
 * A metric's name as OpenTelemetry's own bridge to Prometheus gives it, so that a dashboard serves for both ways. Other metrics
 * of the process keep their names: nobody here knows their units.
 */
export const toName = (id: string): string => {
  if (counters.has(id)) return `${id}.total`
  return times.has(id) ? `${id}.seconds` : id
}

/** The key of a request, where it has one. */
const credential = Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }) =>
  Redacted.make(/^Bearer +(\S+)$/i.exec(headers["authorization"] ?? "")?.[1] ?? "")
)

/**
 * All metrics of the process in Prometheus' text format, at `/metrics`.
 *
 * 1. By default it is told to whoever may ask the API. A server behind a proxy on the same machine is bound to loopback too,
 *    so the address alone opens nothing where there are keys.
 * 2. Being read counts against nobody's limit of requests.
 */
export const layer = (access: Exclude<MetricsAccess, "off">) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const router = yield* HttpRouter.HttpRouter
      const keys = yield* ApiKeys
      const origins = yield* PageOrigins
      const admit = access === "open" ? Effect.void : Effect.flatMap(credential, (key) => identify(key, keys, origins))
      const page = Effect.gen(function* () {
        yield* admit
        const text = yield* PrometheusMetrics.format({ metricNameMapper: toName })
        return HttpServerResponse.text(text, {
          contentType: "text/plain; version=0.0.4; charset=utf-8",
          headers: { "cache-control": "no-store" }
        })
      })
      // What counts things that are there is told from the beginning: nothing is another thing than none.
      yield* Effect.forEach([TurnTrace.activeTurns, activeStreams], (gauge) => Metric.modify(gauge, 0))
      yield* router.add("GET", paths.metrics, answered(page))
    })
  )
