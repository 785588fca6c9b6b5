import { Effect, Result } from "effect"
import { type InvalidSetting, setting } from "./Setting.ts"
import type { Parse } from "./SettingValue.ts"

const oneOf =
  (...values: ReadonlyArray<string>): Parse<string> =>
  (text) =>
    values.includes(text)
      ? Result.succeed(text)
      : Result.fail(`"${text}" is nothing that this server exports by; give ${values.join(" or ")}`)

const optional =
  (parse: Parse<string>): Parse<string> =>
  (text) =>
    text === "" ? Result.succeed(text) : parse(text)

const endpoint: Parse<string> = (text) =>
  /^https?:$/.test(URL.parse(text)?.protocol ?? "")
    ? Result.succeed(text)
    : Result.fail(`"${text}" is no address of a collector; give one such as http://127.0.0.1:4318`)

const timeout: Parse<string> = (text) =>
  /^\d{1,9}$/.test(text) && Number(text) > 0
    ? Result.succeed(text)
    : Result.fail(`"${text}" is no time; give a number of milliseconds, such as 10000`)

const signals = ["TRACES", "METRICS", "LOGS"] as const

const variables: ReadonlyArray<readonly [string, Parse<string>]> = [
  ["OTEL_EXPORTER_OTLP_PROTOCOL", oneOf("http/protobuf", "http/json")],
  ...["", ...signals.map((signal) => `${signal}_`)].flatMap(
    (signal): ReadonlyArray<readonly [string, Parse<string>]> => [
      [`OTEL_EXPORTER_OTLP_${signal}ENDPOINT`, endpoint],
      [`OTEL_EXPORTER_OTLP_${signal}COMPRESSION`, oneOf("gzip", "none")],
      [`OTEL_EXPORTER_OTLP_${signal}TIMEOUT`, timeout]
    ]
  ),
  ...signals.map((signal) => [`OTEL_${signal}_EXPORTER`, oneOf("otlp", "none")] as const)
]

/**
 * Checks the variables of OpenTelemetry that the exporters read: one that cannot be is told before the server starts, not when
 * nothing has arrived.
 */
export const check: Effect.Effect<void, InvalidSetting> = Effect.forEach(
  variables,
  ([variable, parse]) => setting(variable, "", optional(parse)),
  { discard: true }
)
