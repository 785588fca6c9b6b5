import { get } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Result } from "effect"
import * as LocalPage from "../../src/server/LocalPage.ts"
import { ask, baseUrl, says, testServer } from "../support/TestServer.ts"

const foreign = (headers: LocalPage.PageHeaders, origins: ReadonlyArray<string> = []) =>
  Result.match(LocalPage.check(headers, origins), { onFailure: ({ origin }) => origin, onSuccess: () => undefined })

describe("a request without a key", () => {
  it("may come from a program, and from pages of this machine", () => {
    assert.isUndefined(foreign({}))
    for (const name of ["localhost", "127.0.0.1", "127.9.9.9", "[::1]"]) {
      assert.isUndefined(foreign({ host: `${name}:3010` }))
      assert.isUndefined(foreign({ host: name, origin: `http://${name}:5173` }))
      assert.isUndefined(foreign({ host: name, origin: `https://${name}` }))
    }
  })

  it("may not come from other pages, nor be sent to names that were made to lead here", () => {
    const host = "127.0.0.1:3010"
    for (const origin of [
      "https://page.test",
      "null",
      "",
      "http://localhost.page.test",
      "http://127.0.0.1.page.test",
      "chrome-extension://localhost"
    ]) {
      assert.strictEqual(foreign({ host, origin }), origin)
    }
    for (const name of ["page.test:3010", "localhost.page.test", "10.0.0.7", "127.0.0.1@page.test", " "]) {
      assert.strictEqual(foreign({ host: name }), `http://${name}`)
    }
    assert.strictEqual(foreign({ host: "page.test", origin: "http://localhost" }), "http://page.test")
  })

  it("may come from pages that are named, which may have the server behind their own host", () => {
    const origins = ["https://console.example"]
    assert.isUndefined(foreign({ host: "127.0.0.1:3010", origin: "https://console.example" }, origins))
    assert.isUndefined(foreign({ host: "console.example", origin: "https://console.example" }, origins))
    for (const origin of ["http://console.example", "https://console.example:8443", "https://other.example"]) {
      assert.strictEqual(foreign({ host: "console.example", origin }, origins), origin)
    }
  })
})

/** The status of `GET /sessions` under another name of the server, which `fetch` does not send. */
const askHost = (host: string) =>
  Effect.flatMap(baseUrl, (base) =>
    Effect.callback<number | undefined>((resume) => {
      const request = get(`${base}/sessions`, { headers: { host } }, (response) => {
        response.resume()
        response.once("end", () => resume(Effect.succeed(response.statusCode)))
      })
      request.once("error", (error) => resume(Effect.die(error)))
      return Effect.sync(() => request.destroy())
    })
  )

const page = { headers: { origin: "https://page.test" } }
const code = { error: { code: "origin_not_allowed" } }

describe("a server without keys", () => {
  it.live("answers no page from elsewhere, whatever it asks, and nothing is done for it", () =>
    Effect.gen(function* () {
      const refused = [
        yield* ask("/meta", page),
        yield* ask("/sessions", page),
        yield* ask("/sessions", { ...page, body: { agent: { name: "agent" } } }),
        yield* ask("/sessions/x/turns", { ...page, body: says("hi") }),
        yield* ask("/sessions", { headers: { ...page.headers, authorization: "Bearer guessed" } })
      ]
      for (const { json, status, text } of refused) {
        assert.strictEqual(status, 403, text)
        assert.include((json as typeof code).error.code, code.error.code)
      }
      assert.include(refused[0]?.text ?? "", "not of https://page.test; name that origin in AAP_ORIGINS")
      assert.strictEqual(yield* askHost("rebound.test"), 403)
      assert.strictEqual(yield* askHost("localhost"), 200)
      assert.deepStrictEqual((yield* ask("/sessions")).json, { sessions: [] })
    }).pipe(Effect.provide(testServer()))
  )

  it.live("answers pages of its machine, and those that are named", () =>
    Effect.gen(function* () {
      for (const origin of ["http://localhost:5173", "https://page.test"]) {
        assert.strictEqual((yield* ask("/meta", { headers: { origin } })).status, 200)
      }
    }).pipe(Effect.provide(testServer({ server: { origins: ["https://page.test"] } })))
  )
})

describe("a server with keys", () => {
  it.live("asks for a key, wherever a page is from", () =>
    Effect.gen(function* () {
      const authorization = "Bearer key-a"
      assert.strictEqual((yield* ask("/meta", page)).status, 401)
      assert.strictEqual((yield* ask("/meta", { headers: { ...page.headers, authorization } })).status, 200)
    }).pipe(Effect.provide(testServer({ server: { apiKeys: [{ name: "ada", key: Redacted.make("key-a") }] } })))
  )
})
