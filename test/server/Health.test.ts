import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import * as Scripted from "../../src/model/Scripted.ts"
import * as MemorySessionStore from "../../src/session/MemorySessionStore.ts"
import { SessionStore, StoreError } from "../../src/session/SessionStore.ts"
import { ask, openSession, says, takeTurn, testServer } from "../support/TestServer.ts"

const probe = (path: string) => Effect.map(ask(path), ({ json, status }) => [status, json] as const)

const storeThat = (ping: Effect.Effect<void, StoreError>) =>
  Layer.effect(
    SessionStore,
    Effect.map(SessionStore, (store) => SessionStore.of({ ...store, ping }))
  ).pipe(Layer.provide(MemorySessionStore.layer()))

const ok = [200, { status: "ok" }] as const

const unavailable = [
  503,
  {
    error: { code: "store_unavailable", message: "the session store is not available for the moment; try again" }
  }
] as const

describe("the health of a server", () => {
  it.live("is well, asked by anybody", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual([yield* probe("/healthz"), yield* probe("/readyz")], [ok, ok])
      const { headers } = yield* ask("/readyz", { headers: { "x-request-id": "probe-1" } })
      assert.deepStrictEqual([headers.get("x-request-id"), headers.get("cache-control")], ["probe-1", "no-store"])
    }).pipe(Effect.provide(testServer()))
  )

  it.live("says which method is right, asked by another", () =>
    Effect.gen(function* () {
      for (const path of ["/healthz", "/readyz", "/metrics"]) {
        const { headers, status } = yield* ask(path, { method: "POST", body: {} })
        assert.deepStrictEqual([status, headers.get("allow")], [405, "GET"])
      }
    }).pipe(Effect.provide(testServer()))
  )

  it.live.each([
    { what: "fails", ping: Effect.fail(new StoreError({ operation: "ping", cause: "words of a driver" })) },
    { what: "does not answer within two seconds", ping: Effect.never }
  ])("is alive but not ready where its store $what", ({ ping }) =>
    Effect.gen(function* () {
      assert.deepStrictEqual([yield* probe("/healthz"), yield* probe("/readyz")], [ok, unavailable])
    }).pipe(Effect.provide(testServer({ store: storeThat(ping) })))
  )

  it.live("is alive but not ready while it drains", () =>
    Effect.gen(function* () {
      const running = yield* Deferred.make<void>()
      const gate = yield* Deferred.make<void>()
      const model = Scripted.layer(() =>
        Scripted.reply(Scripted.wait(Effect.andThen(Deferred.succeed(running, undefined), Deferred.await(gate))))
      )
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(testServer({ model, server: { drainTimeout: "1 minute" } }), scope)
      yield* Effect.gen(function* () {
        const id = yield* openSession()
        const turn = yield* Effect.forkChild(takeTurn(id, says("go")))
        yield* Deferred.await(running)
        assert.deepStrictEqual(yield* probe("/readyz"), ok)
        const closed = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
        const [status, json] = yield* probe("/readyz")
        assert.strictEqual(status, 503)
        assert.nestedPropertyVal(json, "error.code", "shutting_down")
        assert.deepStrictEqual(yield* probe("/healthz"), ok)
        yield* Deferred.succeed(gate, undefined)
        assert.strictEqual((yield* Fiber.join(turn)).status, 200)
        yield* Fiber.join(closed)
      }).pipe(Effect.provide(context))
    })
  )
})
