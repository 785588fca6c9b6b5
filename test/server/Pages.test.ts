import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ask, openSession, says, takeTurn, testServer } from "../support/TestServer.ts"

describe("the API's description", () => {
  it.live("lists the seven endpoints, with their errors and their key", () =>
    Effect.gen(function* () {
      const { json } = yield* ask("/openapi.json")
      const { components, paths } = json as {
        readonly components: { readonly securitySchemes: object }
        readonly paths: Record<
          string,
          Record<string, { readonly responses: object; readonly security: ReadonlyArray<object> }>
        >
      }
      const listed = Object.entries(paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method} ${path}`)
      )
      assert.deepStrictEqual(listed.sort(), [
        "delete /sessions/{id}",
        "get /meta",
        "get /sessions",
        "get /sessions/{id}",
        "get /sessions/{id}/history",
        "post /sessions",
        "post /sessions/{id}/turns"
      ])
      const turn = paths["/sessions/{id}/turns"]?.["post"]
      for (const status of ["200", "400", "401", "404", "409", "413", "415", "422", "503"]) {
        assert.property(turn?.responses, status)
      }
      for (const method of Object.values(paths).flatMap((methods) => Object.values(methods))) {
        for (const status of ["401", "429", "503"]) assert.property(method.responses, status)
      }
      assert.deepStrictEqual(turn?.security, [{ bearer: [] }])
      assert.property(components.securitySchemes, "bearer")
      assert.include(JSON.stringify(turn?.responses), "text/event-stream")
    }).pipe(Effect.provide(testServer()))
  )

  it.live("can be read in a browser that reaches no other host", () =>
    Effect.gen(function* () {
      const { headers, text } = yield* ask("/docs")
      assert.include(headers.get("content-type") ?? "", "text/html")
      assert.notMatch(text, /<(?:script|link|img)[^>]+(?:src|href)=["']?(?:https?:)?\/\//i)
      assert.include((yield* ask("/")).text, "/docs")
    }).pipe(Effect.provide(testServer()))
  )
})

describe("a stream", () => {
  it.live("is kept by nobody, and buffered by no proxy", () =>
    Effect.gen(function* () {
      const { headers } = yield* takeTurn(yield* openSession(), says("hi", { stream: "message" }))
      assert.strictEqual(headers.get("content-type"), "text/event-stream")
      assert.strictEqual(headers.get("cache-control"), "no-cache, no-transform")
      assert.strictEqual(headers.get("x-accel-buffering"), "no")
      assert.isNull(headers.get("content-encoding"))
      assert.strictEqual(headers.get("access-control-allow-origin"), "*")
    }).pipe(Effect.provide(testServer()))
  )
})

describe("the list of sessions", () => {
  it.live("is paged, newest first", () =>
    Effect.gen(function* () {
      const ids: Array<string> = []
      for (let count = 0; count < 120; count++) ids.unshift(yield* openSession())
      const seen: Array<string> = []
      let path = "/sessions"
      while (path !== "") {
        const { json } = yield* ask(path)
        const { next, sessions } = json as {
          readonly next?: string
          readonly sessions: ReadonlyArray<{ readonly sessionId: string }>
        }
        seen.push(...sessions.map(({ sessionId }) => sessionId))
        path = next === undefined ? "" : `/sessions?after=${encodeURIComponent(next)}`
      }
      assert.deepStrictEqual(seen, ids)
    }).pipe(Effect.provide(testServer()))
  )
})
