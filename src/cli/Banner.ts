import type { NetAddress } from "effect/net"
import type { KeptKey } from "../session/KeyStore.ts"
import { databaseText } from "./DatabaseSetting.ts"
import type { Settings } from "./Settings.ts"

/** The address as a client on this machine types it. */
export const baseUrl = (address: NetAddress.SocketAddress, settings: Pick<Settings, "host" | "port">): string => {
  const port = "port" in address ? address.port : settings.port
  const host = settings.host === "0.0.0.0" || settings.host === "::" ? "127.0.0.1" : settings.host
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`
}

const keysText = (valid: number, hasKeys: boolean): string => {
  if (!hasKeys) return "none; only this machine is let in"
  return valid === 0
    ? "all revoked; nobody is let in until effect-aap keys add NAME makes one"
    : `${valid} (send one as Authorization: Bearer KEY)`
}

/**
 * What the server says once it listens, given the keys of its database. The command works as it stands, given a key where
 * there are keys.
 */
export const banner = (url: string, settings: Settings, stored: ReadonlyArray<KeptKey>): string => {
  const hasKeys = settings.apiKeys.length + stored.length > 0
  const valid = settings.apiKeys.length + stored.filter(({ revokedAt }) => revokedAt === undefined).length
  const auth = hasKeys ? ` -H "Authorization: Bearer $AAP_KEY"` : ""
  const json = `-H 'content-type: application/json'${auth}`
  return `effect-aap listens on ${url}
  model     ${settings.label}
  database  ${databaseText(settings.database)}
  keys      ${keysText(valid, hasKeys)}
  API       ${url}/docs${
    settings.playground
      ? `
  try it    ${url}/`
      : ""
  }

Take a first turn${hasKeys ? " (with one of the keys in AAP_KEY)" : ""}:

curl -sN ${url}/sessions/$(curl -s ${url}/sessions ${json} \\
  -d '{"agent":{"name":"assistant","tools":[{"name":"current_time","trust":true}]}}' | cut -d'"' -f4)/turns ${json} \\
  -d '{"stream":"delta","messages":[{"role":"user","content":"What time is it?"}]}'
`
}
