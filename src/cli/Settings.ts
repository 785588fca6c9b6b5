import { Config, Duration, Effect, type LogLevel, Option, Redacted, Result, Schema } from "effect"
import type * as Arr from "effect/Array"
import * as AddressGuard from "../tool/AddressGuard.ts"
import { parseKey } from "../session/SecretBox.ts"
import { PrincipalName } from "../session/Session.ts"
import type { ApiKey } from "../server/ApiKeys.ts"
import type { MetricsAccess } from "../server/Probes.ts"

/** A variable of the environment has a value that the server cannot work with. */
export class InvalidSetting extends Schema.TaggedError<InvalidSetting>()("InvalidSetting", {
  variable: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `${this.variable}: ${this.problem}`
  }
}

/** The protocols that a model may be spoken to in, as `AAP_MODEL` names them. */
const providers = ["openai", "openai-responses", "anthropic", "gemini"] as const

/** Which model answers: the embedded demo, or a provider's model. */
export type ModelSetting =
  | { readonly provider: "demo" }
  | { readonly provider: (typeof providers)[number]; readonly model: string }

/** Where sessions are kept: in memory, in a SQLite file, or in a PostgreSQL that several servers share. */
export type DatabaseSetting =
  | { readonly kind: "memory" }
  | { readonly kind: "sqlite"; readonly filename: string }
  | { readonly kind: "postgres"; readonly url: Redacted.Redacted<string> }

/** A database as people are told of it: without its password. */
export const databaseText = (database: DatabaseSetting): string => {
  switch (database.kind) {
    case "memory":
      return "in memory, gone with the process"
    case "sqlite":
      return `SQLite at ${database.filename}`
    case "postgres": {
      const { host, pathname } = new URL(Redacted.value(database.url))
      return `PostgreSQL at ${host}${pathname}`
    }
  }
}

type Parse<A> = (text: string) => Result.Result<A, string>

const setting = <A>(variable: string, otherwise: string, parse: Parse<A>): Effect.Effect<A, InvalidSetting> =>
  Effect.gen(function* () {
    const text = yield* Effect.orDie(Config.option(Config.String(variable)))
    const parsed = parse(Option.getOrElse(text, () => otherwise).trim())
    return yield* Effect.fromResult(Result.mapError(parsed, (problem) => new InvalidSetting({ variable, problem })))
  })

/** A provider's key, where there is one; blanks around it, as files of secrets have them, are no part of it. */
const secret = (variable: string): Effect.Effect<{ readonly apiKey?: Redacted.Redacted<string> }, InvalidSetting> =>
  Effect.gen(function* () {
    const given = Option.getOrElse(yield* Effect.orDie(Config.option(Config.String(variable))), () => "").trim()
    if (given === "") return {}
    if (/^[\x21-\x7e]+$/.test(given)) return { apiKey: Redacted.make(given) }
    const problem = "it is no key: a key has no blanks, and no characters beyond ASCII"
    return yield* new InvalidSetting({ variable, problem })
  })

const any: Parse<string> = Result.succeed

const port: Parse<number> = (text) =>
  /^\d{1,5}$/.test(text) && Number(text) < 65_536
    ? Result.succeed(Number(text))
    : Result.fail(`"${text}" is no port; give a number from 0 to 65535, 0 for any that is free`)

const bytes: Parse<number> = (text) =>
  /^\d{1,12}$/.test(text) && Number(text) > 0
    ? Result.succeed(Number(text))
    : Result.fail(`"${text}" is no size; give a number of bytes, such as 10000000`)

const duration: Parse<Duration.Duration> = (text) =>
  /^\d{1,9}$/.test(text) && Number(text) > 0
    ? Result.succeed(Duration.seconds(Number(text)))
    : Result.fail(`"${text}" is no time; give a number of seconds, such as 15`)

/** Days; none for ever. */
const age: Parse<Option.Option<Duration.Duration>> = (text) => {
  if (text === "") return Result.succeedNone
  return /^\d{1,5}$/.test(text) && Number(text) > 0
    ? Result.succeedSome(Duration.days(Number(text)))
    : Result.fail(`"${text}" is no age; give a number of days, such as 90, or nothing to keep sessions for ever`)
}

/** How many there may be; none for no limit. */
const limit: Parse<Option.Option<number>> = (text) => {
  if (text === "") return Result.succeedNone
  return /^\d{1,9}$/.test(text) && Number(text) > 0
    ? Result.succeedSome(Number(text))
    : Result.fail(`"${text}" is no limit; give a number from 1, such as 60, or nothing for no limit`)
}

const oneModel: Parse<ModelSetting> = (text) => {
  if (text === "demo") return Result.succeed({ provider: "demo" })
  const [, prefix, name] = /^([^/]+)\/(\S+)$/.exec(text) ?? []
  const provider = providers.find((provider) => provider === prefix)
  return provider === undefined || name === undefined
    ? Result.fail(`"${text}" is no model; give demo, or ${providers.join("/MODEL, ")}/MODEL such as openai/gpt-5`)
    : Result.succeed({ provider, model: name })
}

const models: Parse<Arr.NonEmptyReadonlyArray<ModelSetting>> = (text) => {
  const [first = "", ...rest] = text.split(",").map((item) => item.trim())
  return Result.all([oneModel(first), ...rest.map(oneModel)])
}

const database: Parse<DatabaseSetting> = (text) => {
  if (text === "memory:") return Result.succeed({ kind: "memory" })
  if (/^postgres(?:ql)?:\/\/\S/.test(text) && URL.canParse(text))
    return Result.succeed({ kind: "postgres", url: Redacted.make(text) })
  if (text === "sqlite::memory:") return Result.fail("give memory: for sessions in memory")
  const filename = /^sqlite:(?:\/\/)?(.+)$/.exec(text)?.[1]
  return filename === undefined
    ? Result.fail(
        `"${text.split(":")[0]}:…" is no database; give sqlite:PATH such as sqlite:./data/aap.db, postgres://USER:PASSWORD@HOST:PORT/NAME (with %40 for an @ in the password), or memory:`
      )
    : Result.succeed({ kind: "sqlite", filename })
}

const origins: Parse<ReadonlyArray<string>> = (text) =>
  Result.flatMap(list(text), (items) =>
    Result.all(
      items.map((item) =>
        URL.canParse(item) && new URL(item).origin === item
          ? Result.succeed(item)
          : Result.fail(`"${item}" is no origin; give a list such as https://console.example,http://10.0.0.7:8080`)
      )
    )
  )

/** Hosts, addresses and networks. */
const places: Parse<ReadonlyArray<string>> = (text) =>
  Result.flatMap(list(text), (items) =>
    Result.all(
      items.map((item) =>
        AddressGuard.isPlace(item)
          ? Result.succeed(item)
          : Result.fail(`"${item}" is no host, address or network; give a list such as intranet.example,10.1.0.0/16`)
      )
    )
  )

/** The ways of keeping histories small, as `AAP_COMPACTION` names them. */
const compactions = ["summary", "window", "none"] as const

const compaction: Parse<(typeof compactions)[number]> = (text) => {
  const known = compactions.find((name) => name === text)
  return known === undefined
    ? Result.fail(`"${text}" is no compaction; give one of: ${compactions.join(", ")}`)
    : Result.succeed(known)
}

const tokens: Parse<number> = (text) =>
  /^\d{1,9}$/.test(text) && Number(text) >= 4000
    ? Result.succeed(Number(text))
    : Result.fail(`"${text}" is too few tokens, or no number; give one from 4000, such as 100000`)

const httpUrl: Parse<string> = (text) =>
  /^https?:$/.test(URL.parse(text)?.protocol ?? "")
    ? Result.succeed(text)
    : Result.fail(`"${text}" is no address; give one such as https://api.openai.com/v1`)

const isOn: Parse<boolean> = (text) =>
  text === "on" || text === "off" ? Result.succeed(text === "on") : Result.fail(`"${text}" is neither; give on or off`)

const list: Parse<ReadonlyArray<string>> = (text) =>
  Result.succeed(text.split(",").flatMap((item) => (item.trim() === "" ? [] : [item.trim()])))

/** The first seals, all open: a new key is put before the old one. */
const secretKeys: Parse<ReadonlyArray<Redacted.Redacted<string>>> = (text) =>
  Result.flatMap(list(text), (keys) =>
    Result.all(
      keys.map((text) => {
        const key = Redacted.make(text)
        return Result.mapBoth(parseKey(key), {
          onFailure: ({ message }) => `it cannot be used: ${message}`,
          onSuccess: () => key
        })
      })
    )
  )

const isName = Schema.is(PrincipalName)

const oneKey = (item: string, index: number): Result.Result<ApiKey, string> => {
  const [, name, key] = /^([^:]+):(\S+)$/.exec(item) ?? []
  if (name === undefined || key === undefined) {
    return Result.fail(`key ${index + 1} is no NAME:KEY; give a list such as alice:KEY1,bob:KEY2`)
  }
  return isName(name)
    ? Result.succeed({ name, key: Redacted.make(key) })
    : Result.fail(`the name of key ${index + 1} is none; give up to 128 letters, digits and . _ - @`)
}

const keys: Parse<ReadonlyArray<ApiKey>> = (text) =>
  Result.flatMap(list(text), (items) => {
    const texts = items.map((item) => item.slice(item.indexOf(":") + 1))
    const twice = texts.findIndex((key, index) => texts.indexOf(key) !== index)
    return twice === -1
      ? Result.all(items.map(oneKey))
      : Result.fail(`key ${twice + 1} was given before; each key belongs to one name, once`)
  })

const host: Parse<string> = (text) =>
  text === "" ? Result.fail("it is empty; give an address such as 127.0.0.1") : Result.succeed(text)

/** How log lines are written, as `AAP_LOG` names it. */
const logFormats = ["json", "pretty"] as const

const logFormat: Parse<(typeof logFormats)[number]> = (text) => {
  const known = logFormats.find((name) => name === text)
  return known === undefined ? Result.fail(`"${text}" is no way to log; give json or pretty`) : Result.succeed(known)
}

/** Levels of logs, as `AAP_LOG_LEVEL` names them, the chattiest first. */
const logLevels = { trace: "Trace", debug: "Debug", info: "Info", warn: "Warn", error: "Error", none: "None" } as const

const logLevel: Parse<LogLevel.LogLevel> = (text) => {
  const known = Object.entries(logLevels).find(([name]) => name === text.toLowerCase())
  return known === undefined
    ? Result.fail(`"${text}" is no level; give one of: ${Object.keys(logLevels).join(", ")}`)
    : Result.succeed(known[1])
}

/** Who may read `/metrics`, as `AAP_METRICS` says. */
const metricsAccess: Parse<MetricsAccess> = (text) => {
  if (text === "on") return Result.succeed("open")
  return text === "key" || text === "off"
    ? Result.succeed(text)
    : Result.fail(`"${text}" is none of: key, on, off; give on for anybody, key for whoever may ask the API`)
}

const isTrue: Parse<boolean> = (text) =>
  text === "true" || text === "false"
    ? Result.succeed(text === "true")
    : Result.fail(`"${text}" is neither; give true or false`)

/** Where sessions and keys are kept. */
export const databaseSetting = setting("DATABASE_URL", "sqlite:./data/aap.db", database)

/** What the environment says, checked. Secrets stay redacted. */
export const settings = Effect.gen(function* () {
  const read = {
    host: yield* setting("HOST", "127.0.0.1", host),
    port: yield* setting("PORT", "3010", port),
    models: yield* setting("AAP_MODEL", "demo", models),
    openAi: {
      baseUrl: yield* setting("OPENAI_BASE_URL", "https://api.openai.com/v1", httpUrl),
      ...(yield* secret("OPENAI_API_KEY"))
    },
    anthropic: {
      baseUrl: yield* setting("ANTHROPIC_BASE_URL", "https://api.anthropic.com", httpUrl),
      ...(yield* secret("ANTHROPIC_API_KEY"))
    },
    gemini: {
      baseUrl: yield* setting("GEMINI_BASE_URL", "https://generativelanguage.googleapis.com", httpUrl),
      ...(yield* secret("GEMINI_API_KEY"))
    },
    database: yield* databaseSetting,
    secretKeys: yield* setting("AAP_SECRET_KEY", "", secretKeys),
    leaseDuration: yield* setting("AAP_LEASE", "30", duration),
    compaction: yield* setting("AAP_COMPACTION", "summary", compaction),
    compactAbove: yield* setting("AAP_COMPACT_ABOVE", "100000", tokens),
    sessionAge: yield* setting("AAP_SESSION_AGE", "", age),
    apiKeys: yield* setting("AAP_API_KEYS", "", keys),
    limits: {
      requests: yield* setting("AAP_LIMIT_REQUESTS", "", limit),
      turns: yield* setting("AAP_LIMIT_TURNS", "", limit),
      sessions: yield* setting("AAP_LIMIT_SESSIONS", "", limit)
    },
    origins: yield* setting("AAP_ORIGINS", "", origins),
    bodyLimit: yield* setting("AAP_BODY_LIMIT", "10000000", bytes),
    drainTimeout: yield* setting("AAP_DRAIN_TIMEOUT", "20", duration),
    heartbeat: yield* setting("AAP_HEARTBEAT", "15", duration),
    stallTimeout: yield* setting("AAP_STALL_TIMEOUT", "60", duration),
    modelTimeout: yield* setting("AAP_MODEL_TIMEOUT", "60", duration),
    webFetchAllow: yield* setting("AAP_WEB_FETCH_ALLOW", "", places),
    playground: yield* setting("AAP_PLAYGROUND", "on", isOn),
    metrics: yield* setting("AAP_METRICS", "key", metricsAccess),
    log: yield* setting("AAP_LOG", process.stderr.isTTY ? "pretty" : "json", logFormat),
    logLevel: yield* setting("AAP_LOG_LEVEL", "info", logLevel),
    captureContent: yield* setting("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "false", isTrue),
    label: yield* setting("AAP_MODEL", "demo", any)
  }
  if (read.database.kind === "postgres" && read.secretKeys.length === 0) {
    const problem =
      "it is needed with PostgreSQL, whose servers must have the same; make one with: openssl rand -base64 32"
    return yield* new InvalidSetting({ variable: "AAP_SECRET_KEY", problem })
  }
  return read
})

/** The settings of a server. */
export type Settings = Effect.Success<typeof settings>
