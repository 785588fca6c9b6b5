import { NodeHttpClient } from "@effect/platform-node"
import { type Duration, Effect, Result, Schema, type Scope, Stream } from "effect"
import { HttpClient, HttpClientRequest, type HttpClientError, type HttpClientResponse } from "effect/http"
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib"
import * as AddressGuard from "./AddressGuard.ts"
import { fromHtml } from "./ReadableText.ts"
import * as ServerTool from "./ServerTool.ts"

/** A page that could not be fetched, and why. */
export class FetchFailed extends Schema.TaggedError<FetchFailed>()("FetchFailed", { message: Schema.String }) {}

/** What `web_fetch` may do. */
export interface WebFetchOptions {
  /** Hosts, addresses and networks that may be fetched though they are not public. */
  readonly allow?: ReadonlyArray<string>
  /** The most bytes that are read of a page; a million by default. */
  readonly maxBytes?: number
  /** How long a page may take, redirects and all; twenty seconds by default. */
  readonly timeout?: Duration.Input
  /** How names are resolved; by the system, unless a test says otherwise. */
  readonly resolve?: AddressGuard.Resolve
}

/** How many redirects are followed. */
const maxRedirects = 5

const fail = (message: string) => Effect.fail(new FetchFailed({ message }))

const parseUrl = (text: string, base?: string): Result.Result<URL, FetchFailed> => {
  const url = URL.parse(text, base)
  const refuse = (message: string) => Result.fail(new FetchFailed({ message }))
  if (url === null) return refuse(`"${text}" is no address; give one such as https://example.org/page`)
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return refuse(`only http and https are fetched, not ${url.protocol}`)
  if (url.username !== "" || url.password !== "") return refuse("an address with a user or a password is not fetched")
  return Result.succeed(url)
}

const refusedAddress = (error: HttpClientError.HttpClientError): AddressGuard.AddressRefused | undefined => {
  const { cause } = error.reason
  return cause instanceof AddressGuard.AddressRefused ? cause : undefined
}

const isReadable = (type: string): boolean =>
  type === "" || /^text\/|[/+](?:json|xml|yaml|javascript|ecmascript|x-ndjson|x-www-form-urlencoded)\b/.test(type)

const readBytes = (response: HttpClientResponse.HttpClientResponse, maxBytes: number) =>
  Effect.gen(function* () {
    const chunks: Array<Uint8Array> = []
    let size = 0
    yield* response.stream.pipe(
      Stream.takeUntil((chunk) => {
        chunks.push(chunk)
        size += chunk.length
        return size > maxBytes
      }),
      Stream.runDrain,
      Effect.catch(() => (size === 0 ? fail("the connection broke before anything came") : Effect.void))
    )
    return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isCut: size > maxBytes }
  })

const decompress = (bytes: Buffer, encoding: string, maxBytes: number) => {
  const options = { maxOutputLength: maxBytes }
  const inflate = { gzip: gunzipSync, "x-gzip": gunzipSync, deflate: inflateSync, br: brotliDecompressSync }[encoding]
  if (encoding === "" || encoding === "identity") return Effect.succeed(bytes)
  if (inflate === undefined) return fail(`the page is encoded as ${encoding}, which is not read`)
  return Effect.try({
    try: () => inflate(bytes, options),
    catch: () =>
      new FetchFailed({ message: `the page cannot be unpacked, or is larger than ${maxBytes} bytes unpacked` })
  })
}

const decodeText = (bytes: Uint8Array, type: string): string => {
  const charset = /charset="?([\w.:-]+)/i.exec(type)?.[1] ?? "utf-8"
  const decoder = Result.try(() => new TextDecoder(charset))
  return Result.getOrElse(decoder, () => new TextDecoder()).decode(bytes)
}

const read = Effect.fnUntraced(function* (url: URL, response: HttpClientResponse.HttpClientResponse, maxBytes: number) {
  const type = (response.headers["content-type"] ?? "").toLowerCase()
  if (!isReadable(type.split(";")[0]?.trim() ?? "")) {
    const length = response.headers["content-length"]
    return yield* fail(`${url.href} is ${type}${length === undefined ? "" : ` of ${length} bytes`}; only text is read`)
  }
  const { bytes, isCut } = yield* readBytes(response, maxBytes)
  const unpacked = yield* decompress(bytes, (response.headers["content-encoding"] ?? "").toLowerCase(), maxBytes)
  const text = decodeText(unpacked, type)
  const body = /^(?:text\/html|application\/xhtml)/.test(type) ? fromHtml(text) : text
  return [
    `URL: ${url.href}`,
    `Status: ${response.status}`,
    `Content-Type: ${type === "" ? "unknown" : type}`,
    "",
    body.trim() === "" ? "(an empty page)" : body,
    ...(isCut ? [`(cut off after ${maxBytes} bytes)`] : [])
  ].join("\n")
})

type Visited = { readonly _tag: "Page"; readonly text: string } | { readonly _tag: "Redirect"; readonly to: string }

const makeFetch = (allowed: AddressGuard.Allowed, maxBytes: number) => {
  const visit = Effect.fnUntraced(function* (
    url: URL
  ): Effect.fn.Return<Visited, FetchFailed, HttpClient.HttpClient | Scope.Scope> {
    if (!AddressGuard.mayConnect(allowed, url.hostname)) {
      return yield* fail(new AddressGuard.AddressRefused({ host: url.hostname }).message)
    }
    const client = HttpClient.withScope(yield* HttpClient.HttpClient)
    const response = yield* HttpClientRequest.get(url).pipe(
      HttpClientRequest.setHeaders({ "user-agent": "effect-aap", accept: "text/*, application/json;q=0.9, */*;q=0.1" }),
      client.execute,
      Effect.mapError((error) => {
        const message = refusedAddress(error)?.message ?? `${url.host} could not be reached`
        return new FetchFailed({ message })
      })
    )
    const to = response.headers.location
    return response.status < 300 || response.status > 399 || to === undefined
      ? { _tag: "Page", text: yield* read(url, response, maxBytes) }
      : { _tag: "Redirect", to }
  })
  return Effect.fnUntraced(function* (text: string) {
    let url = yield* Effect.fromResult(parseUrl(text))
    for (let redirects = 0; redirects <= maxRedirects; redirects++) {
      const visited = yield* Effect.scoped(visit(url))
      if (visited._tag === "Page") return visited.text
      url = yield* Effect.fromResult(parseUrl(visited.to, url.href))
    }
    return yield* fail(`${text} redirects more than ${maxRedirects} times`)
  })
}

/**
 * `web_fetch`: reads a page of the public internet, as text. Addresses are judged after their names are resolved, and
 * again at each redirect; size and time are bounded; nothing that identifies anybody is sent.
 */
export const make = (options: WebFetchOptions = {}): ServerTool.ServerTool => {
  const { maxBytes = 1_000_000, timeout = "20 seconds" } = options
  const allowed = AddressGuard.allow(options.allow ?? [])
  const fetchPage = makeFetch(allowed, maxBytes)
  const client = NodeHttpClient.layerNodeHttpOptions({ lookup: AddressGuard.guardedLookup(allowed, options.resolve) })
  return ServerTool.make({
    name: "web_fetch",
    title: "Web fetch",
    description: "Reads a web page, by its http or https address, and gives its text.",
    input: Schema.Struct({
      url: Schema.String.annotate({ description: "The address, such as https://example.org/page" })
    }),
    timeout: "5 minutes",
    handler: ({ url }) =>
      fetchPage(url).pipe(
        Effect.timeoutOrElse({ duration: timeout, orElse: () => fail("the page took too long") }),
        Effect.provide(client)
      )
  })
}
