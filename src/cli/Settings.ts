import { Config, Effect, Option, Redacted } from "effect"
import { database } from "./DatabaseSetting.ts"
import { models } from "./ModelSetting.ts"
import * as OtelSettings from "./OtelSettings.ts"
import { InvalidSetting, setting } from "./Setting.ts"
import * as SettingValue from "./SettingValue.ts"

/** A provider's key, where there is one; blanks around it, as files of secrets have them, are no part of it. */
const secret = (variable: string): Effect.Effect<{ readonly apiKey?: Redacted.Redacted<string> }, InvalidSetting> =>
  Effect.gen(function* () {
    const given = Option.getOrElse(yield* Effect.orDie(Config.option(Config.String(variable))), () => "").trim()
    if (given === "") return {}
    if (/^[\x21-\x7e]+$/.test(given)) return { apiKey: Redacted.make(given) }
    const problem = "it is no key: a key has no blanks, and no characters beyond ASCII"
    return yield* new InvalidSetting({ variable, problem })
  })

/** Where sessions and keys are kept. */
export const databaseSetting = setting("DATABASE_URL", "sqlite:./data/aap.db", database)

/** What the environment says, checked. Secrets stay redacted. */
export const settings = Effect.gen(function* () {
  const read = {
    host: yield* setting("HOST", "127.0.0.1", SettingValue.host),
    port: yield* setting("PORT", "3010", SettingValue.port),
    models: yield* setting("AAP_MODEL", "demo", models),
    openAi: {
      baseUrl: yield* setting("OPENAI_BASE_URL", "https://api.openai.com/v1", SettingValue.httpUrl),
      ...(yield* secret("OPENAI_API_KEY"))
    },
    anthropic: {
      baseUrl: yield* setting("ANTHROPIC_BASE_URL", "https://api.anthropic.com", SettingValue.httpUrl),
      ...(yield* secret("ANTHROPIC_API_KEY"))
    },
    gemini: {
      baseUrl: yield* setting("GEMINI_BASE_URL", "https://generativelanguage.googleapis.com", SettingValue.httpUrl),
      ...(yield* secret("GEMINI_API_KEY"))
    },
    database: yield* databaseSetting,
    secretKeys: yield* setting("AAP_SECRET_KEY", "", SettingValue.secretKeys),
    leaseDuration: yield* setting("AAP_LEASE", "30", SettingValue.duration),
    compaction: yield* setting("AAP_COMPACTION", "summary", SettingValue.compaction),
    compactAbove: yield* setting("AAP_COMPACT_ABOVE", "100000", SettingValue.tokens),
    sessionAge: yield* setting("AAP_SESSION_AGE", "", SettingValue.age),
    apiKeys: yield* setting("AAP_API_KEYS", "", SettingValue.keys),
    limits: {
      requests: yield* setting("AAP_LIMIT_REQUESTS", "", SettingValue.limit),
      turns: yield* setting("AAP_LIMIT_TURNS", "", SettingValue.limit),
      sessions: yield* setting("AAP_LIMIT_SESSIONS", "", SettingValue.limit)
    },
    origins: yield* setting("AAP_ORIGINS", "", SettingValue.origins),
    bodyLimit: yield* setting("AAP_BODY_LIMIT", "10000000", SettingValue.bytes),
    drainTimeout: yield* setting("AAP_DRAIN_TIMEOUT", "20", SettingValue.duration),
    heartbeat: yield* setting("AAP_HEARTBEAT", "15", SettingValue.duration),
    stallTimeout: yield* setting("AAP_STALL_TIMEOUT", "60", SettingValue.duration),
    modelTimeout: yield* setting("AAP_MODEL_TIMEOUT", "60", SettingValue.duration),
    webFetchAllow: yield* setting("AAP_WEB_FETCH_ALLOW", "", SettingValue.places),
    playground: yield* setting("AAP_PLAYGROUND", "on", SettingValue.isOn),
    metrics: yield* setting("AAP_METRICS", "key", SettingValue.metricsAccess),
    log: yield* setting("AAP_LOG", process.stderr.isTTY ? "pretty" : "json", SettingValue.logFormat),
    logLevel: yield* setting("AAP_LOG_LEVEL", "info", SettingValue.logLevel),
    captureContent: yield* setting("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "false", SettingValue.isTrue),
    label: yield* setting("AAP_MODEL", "demo", SettingValue.any)
  }
  yield* OtelSettings.check
  if (read.database.kind === "postgres" && read.secretKeys.length === 0) {
    const problem =
      "it is needed with PostgreSQL, whose servers must have the same; make one with: openssl rand -base64 32"
    return yield* new InvalidSetting({ variable: "AAP_SECRET_KEY", problem })
  }
  return read
})

/** The settings of a server. */
export type Settings = Effect.Success<typeof settings>
