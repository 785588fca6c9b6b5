import { Duration, type LogLevel, type Option, Redacted, Result, Schema } from "effect"
import type { ApiKey } from "../server/ApiKeys.ts"
import type { MetricsAccess } from "../server/Probes.ts"
import { parseKey } from "../session/SecretBox.ts"
import { PrincipalName } from "../session/Session.ts"
import * as AddressGuard from "../tool/AddressGuard.ts"

/** Reads the value of a variable, or says what is wrong with it and what would be right. */
export type Parse<A> = (text: string) => Result.Result<A, string>

/** Whatever it is. */
export const any: Parse<string> = Result.succeed

/** A port; 0 for any that is free. */
export const port: Parse<number> = (text) =>
  /^\d{1,5}$/.test(text) && Number(text) < 65_536
    ? Result.succeed(Number(text))
    : Result.fail(`"${text}" is no port; give a number from 0 to 65535, 0 for any that is free`)

/** A size, in bytes. */
export const bytes: Parse<number> = (text) =>
  /^\d{1,12}$/.test(text) && Number(text) > 0
    ? Result.succeed(Number(text))
    : Result.fail(`"${text}" is no size; give a number of bytes, such as 10000000`)

/** Seconds. */
export const duration: Parse<Duration.Duration> = (text) =>
  /^\d{1,9}$/.test(text) && Number(text) > 0
    ? Result.succeed(Duration.seconds(Number(text)))
    : Result.fail(`"${text}" is no time; give a number of seconds, such as 15`)

/** Days; none for ever. */
export const age: Parse<Option.Option<Duration.Duration>> = (text) => {
  if (text === "") return Result.succeedNone
  return /^\d{1,5}$/.test(text) && Number(text) > 0
    ? Result.succeedSome(Duration.days(Number(text)))
    : Result.fail(`"${text}" is no age; give a number of days, such as 90, or nothing to keep sessions for ever`)
}

/** How many there may be; none for no limit. */
export const limit: Parse<Option.Option<number>> = (text) => {
  if (text === "") return Result.succeedNone
  return /^\d{1,9}$/.test(text) && Number(text) > 0
    ? Result.succeedSome(Number(text))
    : Result.fail(`"${text}" is no limit; give a number from 1, such as 60, or nothing for no limit`)
}

/** Origins of pages. */
export const origins: Parse<ReadonlyArray<string>> = (text) =>
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
export const places: Parse<ReadonlyArray<string>> = (text) =>
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

/** How histories are kept small. */
export const compaction: Parse<(typeof compactions)[number]> = (text) => {
  const known = compactions.find((name) => name === text)
  return known === undefined
    ? Result.fail(`"${text}" is no compaction; give one of: ${compactions.join(", ")}`)
    : Result.succeed(known)
}

/** How large a history may be, in tokens. */
export const tokens: Parse<number> = (text) =>
  /^\d{1,9}$/.test(text) && Number(text) >= 4000
    ? Result.succeed(Number(text))
    : Result.fail(`"${text}" is too few tokens, or no number; give one from 4000, such as 100000`)

/** An address of http or https. */
export const httpUrl: Parse<string> = (text) =>
  /^https?:$/.test(URL.parse(text)?.protocol ?? "")
    ? Result.succeed(text)
    : Result.fail(`"${text}" is no address; give one such as https://api.openai.com/v1`)

/** Whether something is on. */
export const isOn: Parse<boolean> = (text) =>
  text === "on" || text === "off" ? Result.succeed(text === "on") : Result.fail(`"${text}" is neither; give on or off`)

const list: Parse<ReadonlyArray<string>> = (text) =>
  Result.succeed(text.split(",").flatMap((item) => (item.trim() === "" ? [] : [item.trim()])))

/** The first seals, all open: a new key is put before the old one. */
export const secretKeys: Parse<ReadonlyArray<Redacted.Redacted<string>>> = (text) =>
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

/** Keys with the names of their principals. */
export const keys: Parse<ReadonlyArray<ApiKey>> = (text) =>
  Result.flatMap(list(text), (items) => {
    const texts = items.map((item) => item.slice(item.indexOf(":") + 1))
    const twice = texts.findIndex((key, index) => texts.indexOf(key) !== index)
    return twice === -1
      ? Result.all(items.map(oneKey))
      : Result.fail(`key ${twice + 1} was given before; each key belongs to one name, once`)
  })

/** Where to listen. */
export const host: Parse<string> = (text) =>
  text === "" ? Result.fail("it is empty; give an address such as 127.0.0.1") : Result.succeed(text)

/** How log lines are written, as `AAP_LOG` names it. */
const logFormats = ["json", "pretty"] as const

/** How log lines are written. */
export const logFormat: Parse<(typeof logFormats)[number]> = (text) => {
  const known = logFormats.find((name) => name === text)
  return known === undefined ? Result.fail(`"${text}" is no way to log; give json or pretty`) : Result.succeed(known)
}

/** Levels of logs, as `AAP_LOG_LEVEL` names them, the chattiest first. */
const logLevels = { trace: "Trace", debug: "Debug", info: "Info", warn: "Warn", error: "Error", none: "None" } as const

/** The least level that is logged. */
export const logLevel: Parse<LogLevel.LogLevel> = (text) => {
  const known = Object.entries(logLevels).find(([name]) => name === text.toLowerCase())
  return known === undefined
    ? Result.fail(`"${text}" is no level; give one of: ${Object.keys(logLevels).join(", ")}`)
    : Result.succeed(known[1])
}

/** Who may read `/metrics`, as `AAP_METRICS` says. */
export const metricsAccess: Parse<MetricsAccess> = (text) => {
  if (text === "on") return Result.succeed("open")
  return text === "key" || text === "off"
    ? Result.succeed(text)
    : Result.fail(`"${text}" is none of: key, on, off; give on for anybody, key for whoever may ask the API`)
}

/** Whether something is true. */
export const isTrue: Parse<boolean> = (text) =>
  text === "true" || text === "false"
    ? Result.succeed(text === "true")
    : Result.fail(`"${text}" is neither; give true or false`)
