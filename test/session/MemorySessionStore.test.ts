import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Layer, Result } from "effect"
import * as Slot from "../../src/history/Slot.ts"
import * as MemorySessionStore from "../../src/session/MemorySessionStore.ts"
import { SessionStore } from "../../src/session/SessionStore.ts"
import type { StoreOptions } from "../../src/session/TableSessionStore.ts"
import { ada, bring, call, contract, id, Passing, says, session } from "./contract.ts"
import { limitsContract } from "./limitsContract.ts"

const layer = (options?: StoreOptions) => Layer.merge(MemorySessionStore.layer(options), Passing.testClock)

describe("MemorySessionStore", () => {
  contract(layer)
  limitsContract(layer)

  it.effect("judges a session by one moment, though the clock goes on meanwhile", () =>
    Effect.gen(function* () {
      const store = yield* SessionStore
      const clock = yield* Clock.Clock
      yield* store.create(ada, session(id), [])
      yield* store.accept(ada, id, bring(Slot.running(call("a"))))
      /** The last moment of the lease at the first look, and one past it at the next. */
      let now = Duration.toMillis(store.leaseDuration) - 1
      const hasty: Clock.Clock = { ...clock, currentTimeMillis: Effect.sync(() => now++) }
      const taken = yield* store
        .accept(ada, id, bring(Slot.entry(says("one"))))
        .pipe(Effect.result, Effect.provideService(Clock.Clock, hasty))
      assert.isTrue(Result.isFailure(taken))
    }).pipe(Effect.provide(MemorySessionStore.layer()))
  )
})
