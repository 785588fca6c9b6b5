import { ConfigProvider, Console, Effect, Layer } from "effect"
import * as Telemetry from "../../src/telemetry/Telemetry.ts"
import { serve } from "./LoopbackServer.ts"

type Value = string | number | boolean | ReadonlyArray<Value> | undefined

interface AnyValue {
  readonly stringValue?: string
  readonly intValue?: number | string
  readonly doubleValue?: number
  readonly boolValue?: boolean
  readonly arrayValue?: { readonly values: ReadonlyArray<AnyValue> }
}

interface KeyValue {
  readonly key: string
  readonly value: AnyValue
}

interface OtlpSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly attributes: ReadonlyArray<KeyValue>
  readonly status: { readonly code: number }
}

interface OtlpMetric {
  readonly name: string
}

interface OtlpBody {
  readonly resourceSpans?: ReadonlyArray<{
    readonly resource: { readonly attributes: ReadonlyArray<KeyValue> }
    readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<OtlpSpan> }>
  }>
  readonly resourceMetrics?: ReadonlyArray<{
    readonly scopeMetrics: ReadonlyArray<{ readonly metrics: ReadonlyArray<OtlpMetric> }>
  }>
}

/** A span as it was exported. */
export interface ExportedSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly kind: number
  readonly startedAt: bigint
  /** Whether it ended as an error. */
  readonly isError: boolean
  readonly attributes: Readonly<Record<string, Value>>
}

const toValue = (value: AnyValue): Value =>
  value.stringValue ??
  (value.intValue === undefined ? undefined : Number(value.intValue)) ??
  value.doubleValue ??
  value.boolValue ??
  value.arrayValue?.values.map(toValue)

const toAttributes = (attributes: ReadonlyArray<KeyValue>): Readonly<Record<string, Value>> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, toValue(value)]))

/** A collector of telemetry, as an operator runs one: it takes OTLP in JSON over HTTP on loopback, and keeps it. */
export const collector = Effect.gen(function* () {
  const lines: Array<string> = []
  const taken: Array<{ readonly path: string; readonly body: string }> = []
  const port = yield* serve((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (piece: string) => {
      body += piece
    })
    request.on("end", () => {
      taken.push({ path: request.url ?? "", body })
      response.writeHead(200, { "content-type": "application/json" }).end("{}")
    })
  })
  const bodies = () => taken.map(({ body }): OtlpBody => JSON.parse(body))
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_SERVICE_NAME: "test"
  }
  return {
    env,
    /** Exports everything here, the last of it when the layer is left; log lines are kept. */
    layer: Telemetry.layer({ log: "json", level: "All" }).pipe(
      Layer.provideMerge(
        Layer.succeed(Console.Console, { ...console, error: (line: string) => void lines.push(line) })
      ),
      Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
    ),
    /** The lines that were written meanwhile. */
    lines: (): ReadonlyArray<string> => lines,
    /** All that was taken, or what was taken at a path, as text. */
    text: (at?: string) =>
      taken
        .filter(({ path }) => at === undefined || path === at)
        .map(({ body }) => body)
        .join("\n"),
    paths: () => new Set(taken.map(({ path }) => path)),
    spans: (): ReadonlyArray<ExportedSpan> =>
      bodies().flatMap(({ resourceSpans = [] }) =>
        resourceSpans.flatMap(({ scopeSpans }) =>
          scopeSpans.flatMap(({ spans }) =>
            spans.map(({ attributes, kind, name, parentSpanId, spanId, startTimeUnixNano, status, traceId }) => ({
              name,
              traceId,
              spanId,
              parentSpanId,
              kind,
              startedAt: BigInt(startTimeUnixNano),
              isError: status.code === 2,
              attributes: toAttributes(attributes)
            }))
          )
        )
      ),
    metrics: (): ReadonlySet<string> =>
      new Set(
        bodies().flatMap(({ resourceMetrics = [] }) =>
          resourceMetrics.flatMap(({ scopeMetrics }) =>
            scopeMetrics.flatMap(({ metrics }) => metrics.map(({ name }) => name))
          )
        )
      ),
    services: (): ReadonlySet<Value> =>
      new Set(
        bodies().flatMap(({ resourceSpans = [] }) =>
          resourceSpans.map(({ resource }) => toAttributes(resource.attributes)["service.name"])
        )
      )
  }
})

/** The spans beneath one, as lines that are indented by their depth, in the order in which they began. */
export const outline = (spans: ReadonlyArray<ExportedSpan>, parent: string | undefined, indent = ""): Array<string> =>
  spans
    .filter(({ parentSpanId }) => parentSpanId === parent)
    .sort((one, other) => (one.startedAt < other.startedAt ? -1 : 1))
    .flatMap(({ name, spanId }) => [indent + name, ...outline(spans, spanId, `${indent}  `)])
