import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import * as Check from "../../src/conformance/Check.ts"
import { rules } from "../../src/conformance/Rules.ts"
import { type Break, fetchOf, knownKey } from "./Broken.ts"
import { brokenServers } from "./brokenServers.ts"
import { withServer } from "./CheckedServer.ts"
import { oddServers } from "./oddServers.ts"

const told = (results: ReadonlyArray<Check.Result>) =>
  results.map(({ outcome, rule }) => (outcome._tag === "Fail" ? [rule.id, outcome.message] : [rule.id, outcome._tag]))

describe("a check", () => {
  it.live("finds that our own server keeps every rule, and that each is of one agent or the other", () =>
    withServer((options) =>
      Effect.gen(function* () {
        const results = yield* Stream.runCollect(Check.check(options))
        const silent = rules.filter(({ id }) => /^undeclared-/.test(id))
        assert.deepStrictEqual(
          told(results),
          rules.map(({ id }) => [id, silent.some((rule) => rule.id === id) ? "NotApplicable" : "Pass"])
        )
        const plain = yield* Stream.runCollect(Check.check({ ...options, agent: "plain" }))
        assert.deepStrictEqual(
          told(plain).filter(([id]) => silent.some((rule) => rule.id === id)),
          silent.map(({ id }) => [id, "Pass"])
        )
        assert.deepStrictEqual(
          told(plain).filter(([, outcome]) => outcome !== "Pass" && outcome !== "NotApplicable"),
          []
        )
      }).pipe(Effect.provide(FetchHttpClient.layer))
    )
  )

  it.live("waits for no server without end", () =>
    withServer((options) =>
      Effect.gen(function* () {
        for (const silent of [options.baseUrl, options.modelUrl]) {
          const error = yield* Stream.runDrain(Check.check({ ...options, patience: "100 millis" })).pipe(
            Effect.flip,
            Effect.provideService(
              FetchHttpClient.Fetch,
              fetchOf(silent, () => new Promise(() => {}))
            )
          )
          assert.include(error.message, silent)
        }
      }).pipe(Effect.provide(FetchHttpClient.layer))
    )
  )

  it.live("leaves no session behind where it is interrupted while one is made", () =>
    withServer((options) =>
      Effect.gen(function* () {
        const asked = yield* Deferred.make<void>()
        const { promise: isOpen, resolve: goOn } = Promise.withResolvers<void>()
        const slow: Break = async (asked_, send) => {
          if (asked_.method !== "POST" || asked_.path !== "/sessions") return send(asked_)
          const answer = await send(asked_)
          Deferred.doneUnsafe(asked, Effect.void)
          await isOpen
          return answer
        }
        const checking = yield* Effect.forkChild(
          Effect.provideService(
            Stream.runDrain(Check.check(options)),
            FetchHttpClient.Fetch,
            fetchOf(options.baseUrl, slow)
          )
        )
        yield* Deferred.await(asked)
        const stopping = yield* Effect.forkChild(Fiber.interrupt(checking))
        yield* Effect.yieldNow
        goOn()
        yield* Fiber.join(stopping)
        const response = yield* Effect.promise(() =>
          fetch(`${options.baseUrl}/sessions`, { headers: { authorization: `Bearer ${knownKey}` } })
        )
        assert.deepStrictEqual<unknown>(yield* Effect.promise(() => response.json()), { sessions: [] })
      }).pipe(Effect.provide(FetchHttpClient.layer))
    )
  )

  it.live.each(oddServers)("finds no fault in a server that $how", ({ broken, model, outcome, rules: ids }) =>
    withServer(
      (options) =>
        Effect.gen(function* () {
          const results = yield* Effect.provideService(
            Stream.runCollect(Check.check({ ...options, rules: rules.filter(({ id }) => ids.includes(id)) })),
            FetchHttpClient.Fetch,
            broken === undefined ? fetch : fetchOf(options.baseUrl, broken)
          )
          assert.deepStrictEqual(told(results).toSorted(), ids.map((id) => [id, outcome]).toSorted())
        }).pipe(Effect.provide(FetchHttpClient.layer)),
      model
    )
  )

  it("has a broken server for each rule", () => {
    const ids = new Set(brokenServers.map(({ rule }) => rule))
    assert.deepStrictEqual([...ids].toSorted(), rules.map(({ id }) => id).toSorted())
  })

  it.live.each(brokenServers)(
    "finds a server that breaks $rule: $says",
    ({ agent, broken, isAwaited, isFoundBefore = false, model, rule, says }) =>
      withServer(
        (options) =>
          Effect.gen(function* () {
            const [result] = yield* Effect.provideService(
              Stream.runCollect(
                Check.check({
                  ...options,
                  ...(agent === undefined ? {} : { agent }),
                  rules: rules.filter(({ id }) => id === rule),
                  ...(isAwaited === undefined ? {} : { patience: "1 second" })
                })
              ),
              FetchHttpClient.Fetch,
              broken === undefined ? fetch : fetchOf(options.baseUrl, broken)
            )
            if (result?.outcome._tag !== "Fail") return assert.fail(JSON.stringify(result?.outcome))
            assert.match(result.outcome.message, says)
            assert.strictEqual(result.outcome.exchanges.length === 0, isFoundBefore)
          }).pipe(Effect.provide(FetchHttpClient.layer)),
        model
      )
  )
})
