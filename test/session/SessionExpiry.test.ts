import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as MemorySessionStore from "../../src/session/MemorySessionStore.ts"
import * as SessionExpiry from "../../src/session/SessionExpiry.ts"
import { SessionStore, StoreError } from "../../src/session/SessionStore.ts"
import { ada, id, session } from "./contract.ts"

describe("SessionExpiry", () => {
  it.effect("removes old sessions as time goes by, also after the store failed", () => {
    let failures = 1
    const failing = Layer.effect(
      SessionStore,
      Effect.map(SessionStore, (store) =>
        SessionStore.of({
          ...store,
          expire: (age) =>
            Effect.suspend(() =>
              failures-- > 0 ? Effect.fail(new StoreError({ operation: "expire", cause: "away" })) : store.expire(age)
            )
        })
      )
    ).pipe(Layer.provide(MemorySessionStore.layer()))
    return Effect.gen(function* () {
      const store = yield* SessionStore
      yield* store.create(ada, session(id), [])
      yield* TestClock.adjust("1 day")
      assert.strictEqual((yield* store.get(ada, id)).id, id)
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual((yield* Effect.flip(store.get(ada, id)))._tag, "SessionNotFound")
    }).pipe(Effect.provide(SessionExpiry.layer("1 day").pipe(Layer.provideMerge(failing))))
  })
})
