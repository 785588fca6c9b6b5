import { createHash } from "node:crypto"
import { extname } from "node:path"
import { constants, gzipSync } from "node:zlib"
import { Option } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"

/** A file as it is served: its bytes as they are and compressed, and a tag for what they say. */
export interface StaticFile {
  readonly contentType: string
  readonly bytes: Uint8Array
  readonly gzipped: Uint8Array
  /** What the file says, hashed: without quotes. */
  readonly tag: string
  readonly cacheControl: string
}

const contentTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml"
}

/** The type of a file by its name; none where it is of no kind that is served. */
export const contentType = (name: string): Option.Option<string> => Option.fromUndefinedOr(contentTypes[extname(name)])

/** Compresses a file, and hashes it: once, so that answers cost nothing of that. */
export const make = (bytes: Uint8Array, contentType: string, cacheControl: string): StaticFile => ({
  contentType,
  bytes,
  gzipped: gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }),
  tag: createHash("sha256").update(bytes).digest("base64url").slice(0, 22),
  cacheControl
})

const items = (header: string | undefined): ReadonlyArray<string> =>
  (header ?? "").split(",").map((item) => item.trim().toLowerCase())

/** Whether an `Accept-Encoding` takes gzip: by its name, or else by the star, and not with a weight of nothing. */
export const takesGzip = (header: string | undefined): boolean => {
  const weights = new Map(
    items(header).map((item) => {
      const [coding = "", ...parameters] = item.split(";").map((part) => part.trim())
      const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1"
      return [coding, Number(weight)]
    })
  )
  return (weights.get("gzip") ?? weights.get("*") ?? 0) > 0
}

/** Whether an `If-None-Match` names this tag, be it as a weak one, or any. */
export const isMatched = (header: string | undefined, etag: string): boolean =>
  header?.trim() === "*" || (header ?? "").split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag)

/**
 * The answer to a request for a file.
 *
 * 1. It is compressed for who takes that. Each form has a strong tag of its own, and caches are told what it hangs on.
 * 2. Who has the form that would be sent is told so with 304, and is sent nothing.
 */
export const respond = (
  file: StaticFile,
  requested: HttpServerRequest.HttpServerRequest["headers"],
  headers: Readonly<Record<string, string>>
): HttpServerResponse.HttpServerResponse => {
  const isGzipped = takesGzip(requested["accept-encoding"])
  const etag = isGzipped ? `"${file.tag}-gzip"` : `"${file.tag}"`
  const told = { ...headers, etag, vary: "accept-encoding", "cache-control": file.cacheControl }
  if (isMatched(requested["if-none-match"], etag)) return HttpServerResponse.empty({ status: 304, headers: told })
  return HttpServerResponse.uint8Array(isGzipped ? file.gzipped : file.bytes, {
    contentType: file.contentType,
    headers: isGzipped ? { ...told, "content-encoding": "gzip" } : told
  })
}
