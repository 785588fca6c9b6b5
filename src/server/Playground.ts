import { join } from "node:path"
import { Effect, FileSystem, Layer, Option } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as StaticFile from "./StaticFile.ts"

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

/** All but the page itself bear a hash of what they say in their names. */
const cacheControl = (isPage: boolean) => (isPage ? "no-cache" : "public, max-age=31536000, immutable")

const toRoute = (name: string, contentType: string, bytes: Uint8Array) => {
  const isPage = name === "index.html"
  const file = StaticFile.make(bytes, contentType, cacheControl(isPage))
  return HttpRouter.route(
    "GET",
    isPage ? "/" : `/${name}`,
    Effect.map(HttpServerRequest.HttpServerRequest, (request) => StaticFile.respond(file, request.headers, headers))
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

const unbuilt = text("Its playground is not built; npm ci or npm run build builds it. The API is at /docs.")

/**
 * The playground at `/`.
 *
 * 1. Only files that the build had when the server started are served, each by its own name: no path leads elsewhere.
 * 2. The page is asked for anew each time; what bears a hash in its name is kept by browsers for good.
 * 3. Where there is no build, `/` says so. A build that cannot be read is a defect.
 */
export const layer = (folder: string = built) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      if (!(yield* files.exists(join(folder, "index.html")))) return unbuilt
      const names = yield* files.readDirectory(folder, { recursive: true })
      const routes = names.flatMap((name) =>
        Option.toArray(StaticFile.contentType(name)).map((contentType) =>
          Effect.map(files.readFile(join(folder, name)), (bytes) =>
            toRoute(name.replaceAll("\\", "/"), contentType, bytes)
          )
        )
      )
      return HttpRouter.addAll(yield* Effect.all(routes))
    }).pipe(Effect.orDie)
  )
