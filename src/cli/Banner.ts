import { Redacted } from "effect"
import type { NetAddress } from "effect/net"
import type { DatabaseSetting, Settings } from "./Settings.ts"

const databaseText = (database: DatabaseSetting): string => {
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

/** The address as a client on this machine types it. */
export const baseUrl = (address: NetAddress.SocketAddress, settings: Pick<Settings, "host" | "port">): string => {
  const port = "port" in address ? address.port : settings.port
  const host = settings.host === "0.0.0.0" || settings.host === "::" ? "127.0.0.1" : settings.host
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`
}

/** What the server says once it listens. The command works as it stands, given a key where there are keys. */
export const banner = (url: string, settings: Settings): string => {
  const hasKeys = settings.apiKeys.length > 0
  const auth = hasKeys ? ` -H "Authorization: Bearer $AAP_KEY"` : ""
  const json = `-H 'content-type: application/json'${auth}`
  return `effect-aap listens on ${url}
  model     ${settings.label}
  database  ${databaseText(settings.database)}
  keys      ${hasKeys ? `${settings.apiKeys.length} (send one as Authorization: Bearer KEY)` : "none; only this machine is let in"}
  API       ${url}/docs

Take a first turn${hasKeys ? " (with one of the keys in AAP_KEY)" : ""}:

curl -sN ${url}/sessions/$(curl -s ${url}/sessions ${json} \\
  -d '{"agent":{"name":"assistant","tools":[{"name":"current_time","trust":true}]}}' | cut -d'"' -f4)/turns ${json} \\
  -d '{"stream":"delta","messages":[{"role":"user","content":"What time is it?"}]}'
`
}
