import { Effect, Option, Redacted, Schema } from "effect"
import { FetchHttpClient } from "effect/http"
import * as AgentClient from "../client/AgentClient.ts"
import type { AgentError } from "../client/AgentError.ts"
import type { Meta } from "../protocol/Agent.ts"

/** Which server, and the key that it is asked with. */
export const Address = Schema.Struct({ baseUrl: Schema.String, key: Schema.String })
export type Address = typeof Address.Type

/** A server that has told its agents. */
export interface Connection {
  readonly address: Address
  readonly client: AgentClient.AgentClient["Service"]
  readonly meta: Meta
}

const place = "effect-aap/address"
const Stored = Schema.fromJsonString(Address)
const decode = Schema.decodeUnknownOption(Stored)
const encode = Schema.encodeSync(Stored)

/** The server that the page came from, where the page has none of this tab's. */
export const remembered = (): Address =>
  Option.getOrElse(decode(sessionStorage.getItem(place)), () => ({
    baseUrl: new URL(".", location.href).href.replace(/\/$/, ""),
    key: ""
  }))

/** Keeps the address and its key for this tab, and as long as it: in no other place. */
export const remember = (address: Address): void => sessionStorage.setItem(place, encode(address))

/** Why a text is no address of a server, and what would be one; nothing where it is one. */
export const addressProblem = (text: string): string | undefined =>
  /^https?:$/.test(URL.parse(text)?.protocol ?? "")
    ? undefined
    : "The address of a server begins with http:// or https://, such as http://127.0.0.1:3010."

const originOf = (text: string): string | undefined => URL.parse(text)?.origin

/** The key of an address where another one is of the same server; none for any other server. */
export const keyFor = ({ baseUrl, key }: Address, other: string): string =>
  originOf(baseUrl) === originOf(other) ? key : ""

/** Asks a server for its agents. */
export const connect = Effect.fnUntraced(function* (address: Address): Effect.fn.Return<Connection, AgentError> {
  const { baseUrl, key } = address
  const client = yield* AgentClient.make({
    baseUrl,
    ...(key === "" ? {} : { apiKey: Redacted.make(key) })
  }).pipe(Effect.provide(FetchHttpClient.layer))
  return { address, client, meta: yield* client.meta }
})
