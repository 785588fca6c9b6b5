import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Metric, Scope } from "effect"
import { TestClock } from "effect/testing"
import { SessionId } from "../../src/protocol/Session.ts"
import * as LeaseKeeper from "../../src/session/LeaseKeeper.ts"
import { leaseConflicts } from "../../src/session/MeasuredSessionStore.ts"
import * as MemorySessionStore from "../../src/session/MemorySessionStore.ts"
import { type Lease, SessionStore, StoreError } from "../../src/session/SessionStore.ts"

const leases: ReadonlyArray<Lease> = ["a", "b", "c"].map((id) => ({ sessionId: SessionId.make(id), fence: 1 }))

/** A keeper, and what it asked to be renewed, request by request; `answer` is the store's. */
const keeping = (answer: (asked: ReadonlyArray<Lease>) => Effect.Effect<ReadonlyArray<Lease>, StoreError>) =>
  Effect.gen(function* () {
    const asked: Array<ReadonlyArray<string>> = []
    const store = SessionStore.of({
      ...(yield* SessionStore),
      renew: (leases) => {
        asked.push(leases.map(({ sessionId }) => sessionId))
        return answer(leases)
      }
    })
    return { asked, keeper: yield* LeaseKeeper.make(store) }
  }).pipe(Effect.provide(MemorySessionStore.layer({ leaseDuration: "30 seconds" })))

describe("a keeper of leases", () => {
  it.effect("renews all that are kept at once, three times in their duration, and asks for nothing where none is", () =>
    Effect.gen(function* () {
      const { asked, keeper } = yield* keeping(() => Effect.succeed([]))
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(asked, [])
      const turn = yield* Scope.make()
      for (const lease of leases.slice(0, 2)) yield* keeper.keep(lease)
      yield* Scope.provide(keeper.keep({ sessionId: SessionId.make("c"), fence: 1 }), turn)
      yield* TestClock.adjust("10 seconds")
      yield* Scope.close(turn, Exit.void)
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual(asked, [
        ["a", "b", "c"],
        ["a", "b"],
        ["a", "b"]
      ])
    })
  )

  it.effect("keeps no lease that was given back", () =>
    Effect.gen(function* () {
      const { asked, keeper } = yield* keeping(() => Effect.succeed([]))
      for (const lease of leases) yield* keeper.keep(lease)
      yield* keeper.giveBack({ sessionId: SessionId.make("b"), fence: 1 })
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(asked, [["a", "c"]])
    })
  )

  it.effect("keeps no lease that is lost, whichever object the store tells it by, and counts it", () =>
    Effect.gen(function* () {
      const { asked, keeper } = yield* keeping((asked) =>
        Effect.succeed(asked.filter(({ sessionId }) => sessionId === "b").map((lease) => ({ ...lease })))
      )
      const lost = Metric.withAttributes(leaseConflicts, { "error.type": "lease_lost" })
      const before = (yield* Metric.value(lost)).count
      for (const lease of leases) yield* keeper.keep(lease)
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual(asked, [
        ["a", "b", "c"],
        ["a", "c"]
      ])
      assert.strictEqual((yield* Metric.value(lost)).count - before, 1)
    })
  )

  it.effect("asks a store again that failed, whatever it failed of", () =>
    Effect.gen(function* () {
      let failures = 0
      const { asked, keeper } = yield* keeping(() =>
        failures++ === 0 ? Effect.fail(new StoreError({ operation: "renew", cause: "away" })) : Effect.die("a bug")
      )
      for (const lease of leases) yield* keeper.keep(lease)
      yield* TestClock.adjust("30 seconds")
      assert.deepStrictEqual(asked, [
        ["a", "b", "c"],
        ["a", "b", "c"],
        ["a", "b", "c"]
      ])
    })
  )
})
