import { Effect, Result, Schema } from "effect"
import type { HttpClientResponse } from "effect/http"
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib"
import * as PublicFetch from "./PublicFetch.ts"
import { fromHtml } from "./ReadableText.ts"
import * as ServerTool from "./ServerTool.ts"

/** What `web_fetch` may do. */
export interface WebFetchOptions extends PublicFetch.PublicFetchOptions {
  /** The most bytes that are read of a page; a million by default. */
  readonly maxBytes?: number
}

const endings = {
  whole: () => [],
  cut: (maxBytes: number) => [`(cut off after ${maxBytes} bytes)`],
  broken: () => ["(the connection broke here)"]
}

const { fail } = PublicFetch

const isReadable = (type: string): boolean =>
  type === "" || /^text\/|[/+](?:json|xml|yaml|javascript|ecmascript|x-ndjson|x-www-form-urlencoded)\b/.test(type)

const decompress = (bytes: Buffer, encoding: string, maxBytes: number) => {
  const options = { maxOutputLength: maxBytes }
  const inflate = { gzip: gunzipSync, "x-gzip": gunzipSync, deflate: inflateSync, br: brotliDecompressSync }[encoding]
  if (encoding === "" || encoding === "identity") return Effect.succeed(bytes)
  if (inflate === undefined) return fail(`the page is encoded as ${encoding}, which is not read`)
  return Effect.try({
    try: () => inflate(bytes, options),
    catch: () =>
      new PublicFetch.FetchFailed({
        message: `the page cannot be unpacked, or is larger than ${maxBytes} bytes unpacked`
      })
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
  const { bytes, ended } = yield* PublicFetch.readBytes(response, maxBytes)
  const unpacked = yield* decompress(bytes, (response.headers["content-encoding"] ?? "").toLowerCase(), maxBytes)
  const text = decodeText(unpacked, type)
  const body = /^(?:text\/html|application\/xhtml)/.test(type) ? fromHtml(text) : text
  return [
    `URL: ${url.href}`,
    `Status: ${response.status}`,
    `Content-Type: ${type === "" ? "unknown" : type}`,
    "",
    body.trim() === "" ? "(an empty page)" : body,
    ...endings[ended](maxBytes)
  ].join("\n")
})

/**
 * `web_fetch`: reads a page of the public internet, as text (see `PublicFetch`). At most a million bytes are read, unless
 * told otherwise.
 */
export const make = (options: WebFetchOptions = {}): ServerTool.ServerTool => {
  const { maxBytes = 1_000_000 } = options
  const fetchPage = PublicFetch.make(options, "text/*, application/json;q=0.9, */*;q=0.1", (url, response) =>
    read(url, response, maxBytes)
  )
  return ServerTool.make({
    name: "web_fetch",
    title: "Web fetch",
    description: "Reads a web page, by its http or https address, and gives its text.",
    input: Schema.Struct({
      url: Schema.String.annotate({ description: "The address, such as https://example.org/page" })
    }),
    timeout: "5 minutes",
    handler: ({ url }) => fetchPage(url)
  })
}
