import { NodeHttpClient } from "@effect/platform-node"
import { Config, Duration, Effect, Layer, Option } from "effect"
import { HttpClient, HttpClientError } from "effect/http"
import { OtlpLogger, OtlpMetrics, OtlpSerialization, OtlpTracer } from "effect/observability"

/** Units stand beside the points of a metric; Effect puts them among the attributes of each as well. */
const withoutUnits = (data: OtlpMetrics.MetricsData): OtlpMetrics.MetricsData => {
  const metrics = data.resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics))
  for (const { gauge, histogram, sum } of metrics) {
    for (const point of [gauge, histogram, sum].flatMap((kind) => kind?.dataPoints ?? [])) {
      point.attributes = point.attributes?.filter(({ key }) => key !== "unit") ?? []
    }
  }
  return data
}

const serialization = Layer.unwrap(
  Effect.map(
    Effect.orDie(Config.Literals(["http/protobuf", "http/json"], "OTEL_EXPORTER_OTLP_PROTOCOL")),
    (protocol) => (protocol === "http/json" ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf)
  )
)

const pointed = Layer.effect(
  OtlpSerialization.OtlpSerialization,
  Effect.map(OtlpSerialization.OtlpSerialization, (made) => ({
    ...made,
    metrics: (data: OtlpMetrics.MetricsData) => made.metrics(withoutUnits(data))
  }))
).pipe(Layer.provide(serialization))

/** What the specification says of a timeout that is not set, in milliseconds. */
const defaultTimeout = 10_000

/** A client each of whose requests ends in time. Without it a collector that does not answer would be waited for without end. */
const patient = (signal: "LOGS" | "METRICS" | "TRACES") =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.gen(function* () {
      const own = yield* Config.option(Config.Int(`OTEL_EXPORTER_OTLP_${signal}_TIMEOUT`))
      const shared = yield* Config.option(Config.Int("OTEL_EXPORTER_OTLP_TIMEOUT"))
      const timeout = Option.getOrElse(Option.firstSomeOf([own, shared]), () => defaultTimeout)
      const client = yield* HttpClient.HttpClient
      return HttpClient.transform(client, (response, request) =>
        Effect.timeoutOrElse(
          Effect.tap(response, (answer) => Effect.ignore(answer.arrayBuffer)),
          {
            duration: Duration.millis(timeout),
            orElse: () =>
              Effect.fail(
                new HttpClientError.HttpClientError({
                  reason: new HttpClientError.TransportError({ request, description: "the collector did not answer" })
                })
              )
          }
        )
      )
    }).pipe(Effect.orDie)
  ).pipe(Layer.provide(NodeHttpClient.layerNodeHttp))

/**
 * Exporters of logs, metrics and traces over OTLP, as the `OTEL_*` variables say; none for a signal that has no endpoint.
 *
 * 1. `OTEL_EXPORTER_OTLP_TIMEOUT`, or a signal's own, bounds each request, ten seconds by default; one that fails for a while is
 *    sent four times in all. It bounds the last export as well, which three seconds do where it is not set.
 * 2. After that the signal's exporter forgets what it has and rests for a minute, so that a collector that is away costs no
 *    memory. It says so in the log, at the level of debugging.
 */
export const layer = Layer.mergeAll(
  OtlpLogger.layerFromConfig().pipe(Layer.provide(patient("LOGS"))),
  OtlpMetrics.layerFromConfig().pipe(Layer.provide(patient("METRICS"))),
  OtlpTracer.layerFromConfig().pipe(Layer.provide(patient("TRACES")))
).pipe(Layer.provide(pointed))
