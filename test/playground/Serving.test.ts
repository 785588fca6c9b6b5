import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { NodeHttpServer } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { createServer } from "node:http"
import { guard } from "../../src/server/HttpGuard.ts"
import * as Playground from "../../src/server/Playground.ts"
import * as StaticFile from "../../src/server/StaticFile.ts"
import { run } from "../support/CommandLine.ts"
import { startServer } from "../support/ServerProcess.ts"
import { temporaryFolder } from "../support/TemporaryFile.ts"
import { ask, testServer } from "../support/TestServer.ts"

/** A folder beside a file that must not be served. */
const built = Effect.map(temporaryFolder, (folder) => {
  mkdirSync(join(folder, "page/assets"), { recursive: true })
  writeFileSync(join(folder, "secret.html"), "not yours")
  writeFileSync(join(folder, "page/index.html"), `<!doctype html>${"<p>again</p>".repeat(100)}`)
  writeFileSync(join(folder, "page/assets/index-abc.js"), "export {}\n".repeat(100))
  writeFileSync(join(folder, "page/assets/index-abc.css"), "p {}")
  writeFileSync(join(folder, "page/assets/index-abc.js.map"), "{}")
  return join(folder, "page")
})

const serving = (folder: string) => {
  const app = HttpRouter.toHttpEffect(Playground.layer(folder))
  return Layer.unwrap(Effect.map(app, (app) => HttpServer.serve(guard(app)))).pipe(
    Layer.provideMerge(NodeHttpServer.layer(() => createServer(), { host: "127.0.0.1", port: 0 }))
  )
}

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src *; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

describe("the playground's files", () => {
  it.live("are served as what they are, under a strict policy", () =>
    Effect.gen(function* () {
      const files = [
        { path: "/", type: "text/html; charset=utf-8", cache: "no-cache" },
        { path: "/assets/index-abc.js", type: "text/javascript; charset=utf-8", cache: "immutable" },
        { path: "/assets/index-abc.css", type: "text/css; charset=utf-8", cache: "immutable" }
      ]
      yield* Effect.gen(function* () {
        for (const { cache, path, type } of files) {
          const { headers, status } = yield* ask(path)
          assert.strictEqual(status, 200)
          assert.strictEqual(headers.get("content-type"), type)
          assert.include(headers.get("cache-control"), cache)
          assert.strictEqual(headers.get("content-security-policy"), policy)
          assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
          assert.strictEqual(headers.get("referrer-policy"), "no-referrer")
        }
      }).pipe(Effect.provide(serving(yield* built)))
    })
  )

  it.live("are all that is served", () =>
    Effect.gen(function* () {
      yield* Effect.gen(function* () {
        for (const path of [
          "/..%2fsecret.html",
          "/assets/..%2f..%2fsecret.html",
          "/%2e%2e%2fsecret.html",
          "/assets%2findex-abc.js",
          "/assets/..%5c..%5csecret.html",
          "/secret.html",
          "/index.html",
          "/assets/",
          "/assets/none.js",
          "/assets/index-abc.js.map"
        ]) {
          const { status, text } = yield* ask(path)
          assert.strictEqual(status, 404, path)
          assert.notInclude(text, "not yours")
          assert.include(text, '"code":"not_found"')
        }
      }).pipe(Effect.provide(serving(yield* built)))
    })
  )

  it.live("come compressed to who takes that, and by one tag for each form", () =>
    Effect.gen(function* () {
      yield* Effect.gen(function* () {
        for (const path of ["/", "/assets/index-abc.js"]) {
          const plain = yield* ask(path, { headers: { "accept-encoding": "identity" } })
          const gzipped = yield* ask(path, { headers: { "accept-encoding": "br;q=1, GZIP;q=0.5" } })
          assert.isNull(plain.headers.get("content-encoding"))
          assert.strictEqual(gzipped.headers.get("content-encoding"), "gzip")
          assert.strictEqual(gzipped.text, plain.text)
          assert.isBelow(Number(gzipped.headers.get("content-length")), Number(plain.headers.get("content-length")))
          assert.match(plain.headers.get("etag") ?? "", /^"[\w-]+"$/)
          assert.notStrictEqual(plain.headers.get("etag"), gzipped.headers.get("etag"))
          for (const { headers } of [plain, gzipped]) assert.strictEqual(headers.get("vary"), "accept-encoding")
        }
      }).pipe(Effect.provide(serving(yield* built)))
    })
  )

  it.live("are not sent again to who has them", () =>
    Effect.gen(function* () {
      yield* Effect.gen(function* () {
        const first = yield* ask("/")
        const etag = first.headers.get("etag") ?? ""
        for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
          const { headers, status, text } = yield* ask("/", { headers: { "if-none-match": known } })
          assert.deepStrictEqual([status, text], [304, ""], known)
          for (const name of ["etag", "vary", "cache-control", "content-security-policy"]) {
            assert.strictEqual(headers.get(name), first.headers.get(name))
          }
        }
        const other = yield* ask("/", { headers: { "if-none-match": etag, "accept-encoding": "identity" } })
        assert.strictEqual(other.status, 200)
        assert.strictEqual((yield* ask("/", { headers: { "if-none-match": '"other"' } })).status, 200)
      }).pipe(Effect.provide(serving(yield* built)))
    })
  )

  it.each([
    { header: undefined, takes: false },
    { header: "", takes: false },
    { header: "gzip", takes: true },
    { header: "br, Gzip;q=0.2", takes: true },
    { header: "*", takes: true },
    { header: "gzip;q=0, *", takes: false },
    { header: "gzip; q=0.000", takes: false },
    { header: "x-gzip2, identity", takes: false }
  ])("come compressed where Accept-Encoding is $header: $takes", ({ header, takes }) => {
    assert.strictEqual(StaticFile.takesGzip(header), takes)
  })

  it.live("are missed in words where there was no build", () =>
    Effect.gen(function* () {
      const { headers, status, text } = yield* ask("/").pipe(Effect.provide(serving("/nowhere")))
      assert.strictEqual(status, 200)
      assert.match(headers.get("content-type") ?? "", /^text\/plain/)
      assert.include(text, "npm run build")
    })
  )

  it.live("are not served where the playground is off", () =>
    Effect.gen(function* () {
      const { headers, text } = yield* ask("/")
      assert.match(headers.get("content-type") ?? "", /^text\/plain/)
      assert.include(text, "See /docs.")
    }).pipe(Effect.provide(testServer({ server: { playground: false } })))
  )

  it.live("can be turned off in the environment, and nothing else be said there", () =>
    Effect.gen(function* () {
      const { banner, baseUrl } = yield* startServer({ DATABASE_URL: "memory:", AAP_PLAYGROUND: "off" })
      assert.notInclude(banner, "try it")
      assert.include(yield* Effect.promise(async () => (await fetch(baseUrl)).text()), "See /docs.")
      const { code, stderr } = yield* run(["serve"], { AAP_PLAYGROUND: "no", DATABASE_URL: "memory:" })
      assert.strictEqual(code, 1)
      assert.include(stderr, 'AAP_PLAYGROUND: "no" is neither; give on or off')
    })
  )
})
