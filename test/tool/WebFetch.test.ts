import type { RequestListener } from "node:http"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ToolRegistry } from "../../src/tool/ToolRegistry.ts"
import * as WebFetch from "../../src/tool/WebFetch.ts"
import { serve } from "../support/LoopbackServer.ts"

const context = { toolCallId: "call_1", sessionId: "sess_1", principal: "ada" }

const fetch = (url: string, options: WebFetch.WebFetchOptions = { allow: ["127.0.0.1"] }) =>
  Effect.flatMap(ToolRegistry, (tools) =>
    tools.run({ toolCallId: "call_1", name: "web_fetch", input: { url } }, context)
  ).pipe(Effect.provide(ToolRegistry.layer(WebFetch.make(options))), Effect.map(String))

const answer =
  (
    body: string | Uint8Array,
    headers: Record<string, string> = { "content-type": "text/plain" },
    status = 200
  ): RequestListener =>
  (_, response) =>
    response.writeHead(status, headers).end(body)

const get = (listener: RequestListener, options?: WebFetch.WebFetchOptions) =>
  Effect.flatMap(serve(listener), (port) => fetch(`http://127.0.0.1:${port}/page`, options))

describe("web_fetch", () => {
  it.effect("gives a page's text, and where it came from", () =>
    Effect.gen(function* () {
      const html =
        "<html><head><title>x</title><script>bad()</script></head><body><h1>Title</h1><p>One &amp; two</p></body></html>"
      const text = yield* get(answer(html, { "content-type": "text/html; charset=utf-8" }))
      assert.match(
        text,
        /^URL: http:\/\/127\.0\.0\.1:\d+\/page\nStatus: 200\nContent-Type: text\/html; charset=utf-8\n\nTitle\n\nOne & two$/
      )
    })
  )

  it.effect("tells a page that is not there as it is", () =>
    Effect.gen(function* () {
      assert.include(yield* get(answer("gone", { "content-type": "text/plain" }, 404)), "Status: 404")
    })
  )

  it.effect("sends nothing that identifies anybody", () =>
    Effect.gen(function* () {
      const text = yield* get((request, response) =>
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(request.headers))
      )
      assert.include(text, '"user-agent":"effect-aap"')
      assert.notInclude(text, "cookie")
      assert.notInclude(text, "authorization")
    })
  )

  it.effect("reads other character sets, and packed pages", () =>
    Effect.gen(function* () {
      const latin = yield* get(
        answer(Uint8Array.of(0x63, 0x61, 0x66, 0xe9), { "content-type": "text/plain; charset=iso-8859-1" })
      )
      assert.include(latin, "café")
      const packed = yield* get(
        answer(gzipSync("unpacked"), { "content-type": "text/plain", "content-encoding": "gzip" })
      )
      assert.include(packed, "unpacked")
    })
  )

  it.effect("cuts a page that is too long, and refuses one that unpacks without end", () =>
    Effect.gen(function* () {
      const options = { allow: ["127.0.0.1"], maxBytes: 1000 }
      const endless: RequestListener = (_, response) => {
        response.writeHead(200, { "content-type": "text/plain" })
        const more = () => {
          while (!response.destroyed && response.write("x".repeat(100_000))) {}
        }
        response.on("drain", more)
        more()
      }
      const cut = yield* get(endless, options)
      assert.include(cut, "(cut off after 1000 bytes)")
      assert.isBelow(cut.length, 1200)
      const bomb = yield* get(
        answer(gzipSync(Buffer.alloc(900_000)), { "content-type": "text/plain", "content-encoding": "gzip" }),
        options
      )
      assert.include(bomb, "larger than 1000 bytes unpacked")
    })
  )

  it.live("stops waiting for a page that does not come", () =>
    Effect.gen(function* () {
      const text = yield* get(() => undefined, { allow: ["127.0.0.1"], timeout: "50 millis" })
      assert.match(text, /took too long$/)
    })
  )

  it.effect("reads only text", () =>
    Effect.gen(function* () {
      assert.match(yield* get(answer("x", { "content-type": "image/png" })), /is image\/png.*; only text is read/)
    })
  )

  it.effect("follows redirects, up to five", () =>
    Effect.gen(function* () {
      const hop: RequestListener = ({ url = "" }, response) => {
        const left = Number(url.slice(1))
        if (left === 0) answer("arrived")({} as never, response as never)
        else response.writeHead(302, { location: `/${left - 1}` }).end()
      }
      const port = yield* serve(hop)
      assert.include(yield* fetch(`http://127.0.0.1:${port}/5`), "arrived")
      assert.include(yield* fetch(`http://127.0.0.1:${port}/6`), "redirects more than 5 times")
    })
  )

  it.effect("judges every hop", () =>
    Effect.gen(function* () {
      const inner = yield* serve(answer("a secret"))
      for (const location of [
        `http://127.0.0.2:${inner}/`,
        "http://169.254.169.254/",
        "file:///etc/passwd",
        "http://a:b@127.0.0.1/"
      ]) {
        const text = yield* get((_, response) => response.writeHead(302, { location }).end())
        assert.notInclude(text, "a secret")
        assert.match(text, /may not be fetched|only http and https|with a user or a password/, location)
      }
    })
  )

  it.effect("judges what a name resolves to, and connects to nothing else", () =>
    Effect.gen(function* () {
      const port = yield* serve(answer("a secret"))
      let asked = 0
      const resolvesTo = (...addresses: ReadonlyArray<string>): WebFetch.WebFetchOptions => ({
        resolve: (_, __, callback) => {
          asked++
          callback(
            null,
            addresses.map((address) => ({ address, family: 4 }))
          )
        }
      })
      const url = `http://example.test:${port}/`
      assert.include(yield* fetch(url, resolvesTo("127.0.0.1")), "may not be fetched")
      assert.include(yield* fetch(url, resolvesTo("93.184.216.34", "127.0.0.1")), "may not be fetched")
      assert.include(yield* fetch(url, { ...resolvesTo("127.0.0.1"), allow: ["example.test"] }), "a secret")
      assert.strictEqual(asked, 3)
    })
  )

  it.effect("says what an address should look like", () =>
    Effect.gen(function* () {
      assert.include(yield* fetch("not an address"), "give one such as https://")
      assert.include(yield* fetch("ftp://example.org/"), "only http and https")
      assert.include(yield* fetch("http://127.0.0.1:1/"), "could not be reached")
    })
  )
})
