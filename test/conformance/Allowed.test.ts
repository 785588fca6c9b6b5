import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import * as Check from "../../src/conformance/Check.ts"
import { rules } from "../../src/conformance/Rules.ts"
import { allowedServers } from "./allowedServers.ts"
import { fetchOf } from "./Broken.ts"
import { withServer } from "./CheckedServer.ts"

/** What is found wrong. */
const faults = (results: ReadonlyArray<Check.Result>) =>
  results.flatMap(({ outcome, rule }) => (outcome._tag === "Fail" ? [[rule.id, outcome.message]] : []))

describe("a check of a server that does other than ours, and keeps every rule,", () => {
  for (const { allowed, does, model, only, silent = false } of allowedServers) {
    it.live(`finds nothing wrong where ${does}`, () =>
      withServer(
        (options) =>
          Effect.gen(function* () {
            const chosen = rules.filter(({ id }) => only === undefined || only.includes(id))
            const results = yield* Effect.provideService(
              Stream.runCollect(Check.check({ ...options, rules: chosen })),
              FetchHttpClient.Fetch,
              allowed === undefined ? fetch : fetchOf(options.baseUrl, allowed)
            )
            assert.deepStrictEqual(faults(results), [])
            const isSilent = (id: string) => (only === undefined ? /^undeclared-/.test(id) : silent)
            for (const { outcome, rule } of results) {
              assert.strictEqual(outcome._tag, isSilent(rule.id) ? "NotApplicable" : "Pass", rule.id)
            }
          }).pipe(Effect.provide(FetchHttpClient.layer)),
        model
      )
    )
  }

  it.live("is held up once by a server that never ends to delete", () =>
    withServer((options) =>
      Effect.gen(function* () {
        let deletions = 0
        const chosen = rules.filter(({ id }) => id === "get-session" || id === "create-session")
        const results = yield* Effect.provideService(
          Stream.runCollect(Check.check({ ...options, rules: chosen, patience: "2 seconds" })),
          FetchHttpClient.Fetch,
          fetchOf(options.baseUrl, (asked, send) => {
            if (asked.method !== "DELETE") return send(asked)
            deletions++
            return new Promise(() => {})
          })
        )
        assert.deepStrictEqual(faults(results), [])
        assert.strictEqual(deletions, 1)
      }).pipe(Effect.provide(FetchHttpClient.layer))
    )
  )
})
