import { ConfigProvider, Layer, Logger, type LogLevel, References } from "effect"
import * as Confidential from "./Confidential.ts"
import * as JsonLog from "./JsonLog.ts"
import * as OtlpExporters from "./OtlpExporters.ts"
import * as SafeTracer from "./SafeTracer.ts"

/** How log lines are written: an object of JSON each, for machines, or lines for people. */
export type LogFormat = "json" | "pretty"

/** What is told of a server while it runs, besides its metrics. */
export interface TelemetryOptions {
  /** `pretty` by default. */
  readonly log?: LogFormat
  /** The least level that is logged; `Info` by default. */
  readonly level?: LogLevel.LogLevel
}

/** What the OpenTelemetry specification says of what is not set. Nothing is exported while no endpoint is. */
const defaults = ConfigProvider.fromEnv({
  env: {
    OTEL_SERVICE_NAME: "effect-aap",
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
    OTEL_TRACES_EXPORTER: "otlp",
    OTEL_METRICS_EXPORTER: "otlp",
    OTEL_LOGS_EXPORTER: "otlp"
  }
})

const exporters = Layer.provide(OtlpExporters.layer, ConfigProvider.layerAdd(defaults))

/**
 * Logs, and what is exported: traces, metrics and logs over OTLP as the `OTEL_*` variables say, which is nothing while they name
 * no endpoint. Provide it to a server as its outermost Layer; then the last spans go out after its turns are over. A variable
 * that cannot be read is a defect.
 *
 * 1. Lines go to the standard error.
 * 2. No line, exported or written, quotes what is said in a session: see {@link Confidential.layer}.
 * 3. No span has the words of an error: see {@link SafeTracer.layer}.
 * 4. A span has no log lines for events: they go out as logs, and name their span.
 */
export const layer = ({ level = "Info", log = "pretty" }: TelemetryOptions = {}): Layer.Layer<never> =>
  Layer.merge(Confidential.layer, SafeTracer.layer).pipe(
    Layer.provideMerge(exporters),
    Layer.provideMerge(Logger.layer([log === "json" ? JsonLog.logger : Logger.consolePretty()])),
    Layer.provideMerge(Layer.succeed(Logger.LogToStderr, true)),
    Layer.provideMerge(Layer.succeed(References.MinimumLogLevel, level))
  )
