import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import * as Check from "../../src/conformance/Check.ts"
import { rules } from "../../src/conformance/Rules.ts"
import { fetchOf } from "./Broken.ts"
import { allowedServers } from "./allowedServers.ts"
import { withServer } from "./CheckedServer.ts"

describe("a check of a server that is another than ours, and keeps every rule", () => {
  it.live.each(allowedServers)("finds nothing wrong where $does", ({ allowed, model, only }) =>
    withServer(
      (options) =>
        Effect.gen(function* () {
          const chosen = rules.filter(({ id }) => only === undefined || only.includes(id))
          const results = yield* Effect.provideService(
            Stream.runCollect(Check.check({ ...options, rules: chosen, patience: "3 seconds" })),
            FetchHttpClient.Fetch,
            allowed === undefined ? fetch : fetchOf(options.baseUrl, allowed)
          )
          assert.deepStrictEqual(
            results.flatMap(({ outcome, rule }) => (outcome._tag === "Fail" ? [[rule.id, outcome.message]] : [])),
            []
          )
          const silent = results.filter(({ outcome }) => outcome._tag === "NotApplicable")
          assert.isTrue(silent.every(({ rule }) => only === undefined && /^undeclared-/.test(rule.id)))
        }).pipe(Effect.provide(FetchHttpClient.layer)),
      model
    )
  )
})
