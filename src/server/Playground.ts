import { extname, join } from "node:path"
import { Effect, FileSystem, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"

/** Where the build of `src/playground` stands, beside the sources as beside what is compiled from them. */
const built = join(import.meta.dirname, "../../dist/playground")

/** All that the page may do: run its own scripts and styles, and ask any agent server. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src *",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

const headers = {
  "content-security-policy": contentSecurityPolicy,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer"
}

const contentTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml"
}

const toRoute = (name: string, bytes: Uint8Array) => {
  const isPage = name === "index.html"
  return HttpRouter.route(
    "GET",
    isPage ? "/" : `/${name}`,
    HttpServerResponse.uint8Array(bytes, {
      contentType: contentTypes[extname(name)] ?? "application/octet-stream",
      headers: { ...headers, "cache-control": isPage ? "no-cache" : "public, max-age=31536000, immutable" }
    })
  )
}

const text = (sentence: string) =>
  HttpRouter.add(
    "GET",
    "/",
    HttpServerResponse.text(`An Agent Application Protocol server. ${sentence}\n`, {
      headers: { ...headers, "cache-control": "no-cache" }
    })
  )

/** What stands at `/` where the playground is off. */
export const off = text("See /docs.")

/**
 * The playground at `/`.
 *
 * 1. Only files that the build had when the server started are served, each by its own name: no path leads elsewhere.
 * 2. The page is asked for anew each time; what bears a hash in its name is kept by browsers for good.
 * 3. Where there is no build, `/` says so.
 */
export const layer = (folder: string = built) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const names = (yield* files.readDirectory(folder, { recursive: true })).filter(
        (name) => extname(name) in contentTypes
      )
      const routes = yield* Effect.forEach(names, (name) =>
        Effect.map(files.readFile(join(folder, name)), (bytes) => toRoute(name.replaceAll("\\", "/"), bytes))
      )
      return names.includes("index.html") ? HttpRouter.addAll(routes) : yield* Effect.fail("no page")
    }).pipe(
      Effect.orElseSucceed(() =>
        text("Its playground is not built; npm ci or npm run build builds it. The API is at /docs.")
      )
    )
  )
