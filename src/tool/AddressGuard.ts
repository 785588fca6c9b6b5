import { lookup as systemLookup, type LookupAddress, type LookupAllOptions } from "node:dns"
import { BlockList, isIP, type LookupFunction } from "node:net"
import { Schema } from "effect"

/** An address that the server must not speak to for a model: it would reach what only the server can reach. */
export class AddressRefused extends Schema.TaggedError<AddressRefused>()("AddressRefused", { host: Schema.String }) {
  override get message() {
    return `${this.host} is not on the public internet, and may not be fetched`
  }
}

/** Ranges that are nobody's on the public internet, or that lead into such ranges by translation or tunnel. */
const reserved: ReadonlyArray<readonly [network: string, prefix: number]> = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
  ["::", 3],
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
  ["4000::", 2],
  ["8000::", 1]
]

const familyOf = (address: string): "ipv4" | "ipv6" => (isIP(address) === 6 ? "ipv6" : "ipv4")

/** A list a family: Node's own would find IPv4 addresses in the IPv6 ranges that they can be mapped to. */
const makeRanges = () => {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() }
  return {
    add: (network: string, prefix: number) => lists[familyOf(network)].addSubnet(network, prefix, familyOf(network)),
    has: (address: string) => lists[familyOf(address)].check(address, familyOf(address))
  }
}

const privateRanges = makeRanges()
for (const [network, prefix] of reserved) privateRanges.add(network, prefix)

/** Whether an address is one of the public internet. What is no address is not. */
export const isPublic = (address: string): boolean =>
  isIP(address) !== 0 && !address.includes("%") && !privateRanges.has(address)

/** What may be fetched besides the public internet: names of hosts, addresses, and networks such as `10.1.0.0/16`. */
export interface Allowed {
  readonly host: (name: string) => boolean
  readonly address: (address: string) => boolean
}

/** Reads a list of hosts, addresses and networks. */
export const allow = (list: ReadonlyArray<string>): Allowed => {
  const networks = makeRanges()
  const names = new Set<string>()
  for (const item of list) {
    const [network = "", prefix] = item.split("/")
    if (isIP(network) === 0) names.add(item.toLowerCase())
    else networks.add(network, Number(prefix ?? (isIP(network) === 6 ? 128 : 32)))
  }
  return {
    host: (name) => names.has(name.toLowerCase()),
    address: (address) => isIP(address) !== 0 && networks.has(address)
  }
}

/** Whether a text names a host, an address or a network, as {@link allow} takes them. */
export const isPlace = (text: string): boolean => {
  const [address = "", prefix, ...more] = text.split("/")
  const family = isIP(address)
  if (prefix === undefined) return family !== 0 || /^[\w.-]+$/.test(text)
  const isPrefix = /^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 6 ? 128 : 32)
  return family !== 0 && more.length === 0 && isPrefix
}

/** Resolves a name to all of its addresses. */
export type Resolve = (
  host: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: Array<LookupAddress>) => void
) => void

/**
 * A resolver for sockets that gives only addresses that may be spoken to. The socket connects to the very address that
 * was judged, so a name that resolves otherwise the next time changes nothing.
 */
export const guardedLookup =
  (allowed: Allowed, resolve: Resolve = systemLookup): LookupFunction =>
  (host, options, callback) => {
    resolve(
      host,
      { all: true, ...(options.family === undefined ? {} : { family: options.family }) },
      (error, addresses) => {
        const [first] = addresses ?? []
        if (error !== null) return callback(error, "", 4)
        const mayAll =
          allowed.host(host) || addresses.every(({ address }) => isPublic(address) || allowed.address(address))
        if (first === undefined || !mayAll) return callback(new AddressRefused({ host }), "", 4)
        return options.all === true ? callback(null, addresses) : callback(null, first.address, first.family)
      }
    )
  }

/** Whether a URL's host may be connected to at all; names are judged once they are resolved. */
export const mayConnect = (allowed: Allowed, hostname: string): boolean => {
  const address = hostname.replace(/^\[(.*)\]$/, "$1")
  return isIP(address) === 0 || isPublic(address) || allowed.address(address) || allowed.host(hostname)
}
