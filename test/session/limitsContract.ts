import { assert, it } from "@effect/vitest"
import { Effect, type Layer, Result } from "effect"
import * as Slot from "../../src/history/Slot.ts"
import { SessionId } from "../../src/protocol/Session.ts"
import type { Limits } from "../../src/session/Limits.ts"
import type { CannotOpen } from "../../src/session/SecretBox.ts"
import { SessionStore, type StoreError } from "../../src/session/SessionStore.ts"
import type { StoreOptions } from "../../src/session/TableSessionStore.ts"
import { ada, bob, bring, failure, type Passing, pass, says, session } from "./contract.ts"

const name = (index: number) => SessionId.make(`sess_${index}`)

/** What every `SessionStore` promises about the limits of principals. */
export const limitsContract = (
  layer: (options?: StoreOptions) => Layer.Layer<SessionStore | Passing, CannotOpen | StoreError>
) => {
  const test = (title: string, limits: Limits, run: Effect.Effect<void, unknown, SessionStore | Passing>) =>
    it.effect(title, () => run.pipe(Effect.provide(layer({ limits }))))

  test(
    "keeps as many sessions of a principal as it may, and one more once one is deleted",
    { sessions: 2 },
    Effect.gen(function* () {
      const store = yield* SessionStore
      const make = (owner: typeof ada, index: number) => store.create(owner, session(name(index)), [says("one")])
      yield* make(ada, 1)
      yield* make(ada, 2)
      const refused = yield* Effect.flip(make(ada, 3))
      assert.strictEqual(refused._tag, "TooManySessions")
      assert.include(refused.message, "2 sessions")
      assert.include(refused.message, "delete one")
      assert.strictEqual(yield* failure(store.get(ada, name(3))), "SessionNotFound")
      yield* make(bob, 4)
      yield* store.remove(ada, name(1))
      yield* make(ada, 3)
      assert.strictEqual(yield* failure(make(ada, 5)), "TooManySessions")
      assert.strictEqual((yield* store.list(ada, { limit: 10 })).sessions.length, 2)
    })
  )

  test(
    "gives a session again by its key though there may be no more",
    { sessions: 1 },
    Effect.gen(function* () {
      const store = yield* SessionStore
      const make = (index: number, key: string, fingerprint = "f") =>
        store.create(ada, session(name(index)), [], { key, fingerprint })
      assert.strictEqual(yield* make(1, "one"), name(1))
      assert.strictEqual(yield* make(2, "one"), name(1))
      assert.strictEqual(yield* failure(make(3, "one", "g")), "RequestRepeated")
      assert.strictEqual(yield* failure(make(4, "two")), "TooManySessions")
      yield* pass("1 day")
      assert.strictEqual(yield* failure(make(5, "one")), "TooManySessions")
      yield* store.remove(ada, name(1))
      assert.strictEqual(yield* make(6, "one"), name(6))
    })
  )

  test(
    "lets as many turns of a principal run as may, and changes nothing where there may be no more",
    { turns: 2 },
    Effect.gen(function* () {
      const store = yield* SessionStore
      for (const index of [1, 2, 3]) yield* store.create(ada, session(name(index), []), [says("one")])
      yield* store.create(bob, session(name(4)), [])
      const first = yield* store.accept(ada, name(1), bring())
      yield* store.accept(ada, name(2), bring())
      const refused = yield* Effect.flip(store.accept(ada, name(3), bring(Slot.entry(says("two")))))
      assert.strictEqual(refused._tag, "TooManyTurns")
      assert.include(refused.message, "2 of your turns")
      assert.deepStrictEqual(yield* store.history(ada, name(3)), [says("one")])
      assert.strictEqual(yield* failure(store.accept(ada, name(1), bring())), "TurnInProgress")
      yield* store.accept(bob, name(4), bring())
      yield* store.commit(first.lease, { release: true })
      yield* store.accept(ada, name(3), bring())
      assert.strictEqual(yield* failure(store.accept(ada, name(1), bring())), "TooManyTurns")
    })
  )

  test(
    "counts no turn whose lease has lapsed, whose session is gone, or that is joined by its key",
    { turns: 1 },
    Effect.gen(function* () {
      const store = yield* SessionStore
      for (const index of [1, 2]) yield* store.create(ada, session(name(index)), [])
      const keyed = { key: "key", fingerprint: "f" }
      const begin = (index: number) =>
        store.accept(ada, name(index), (session) => Result.succeed({ session, append: [], keyed }), keyed)
      yield* begin(1)
      assert.strictEqual(yield* failure(begin(1)), "RequestRepeated")
      assert.strictEqual(yield* failure(begin(2)), "TooManyTurns")
      yield* store.remove(ada, name(1))
      yield* begin(2)
      yield* store.create(ada, session(name(3)), [])
      assert.strictEqual(yield* failure(begin(3)), "TooManyTurns")
      yield* pass(store.leaseDuration)
      yield* begin(3)
    })
  )

  test(
    "begins a turn with the whole history, whatever was written just before",
    { turns: 2 },
    Effect.gen(function* () {
      const store = yield* SessionStore
      yield* store.create(ada, session(name(1)), [says("one")])
      const first = yield* store.accept(ada, name(1), bring(Slot.entry(says("two"))))
      assert.deepStrictEqual(first.history.tail, [says("one"), says("two")].map(Slot.entry))
      const cut = { from: 1, kept: [0], shortenedTo: 0 }
      yield* store.commit(first.lease, { append: [Slot.entry(says("three"))], cut, release: true })
      const second = yield* store.accept(ada, name(1), bring(Slot.entry(says("four"))))
      assert.deepStrictEqual(second.history, {
        cut,
        kept: [says("one")],
        tail: ["two", "three", "four"].map(says).map(Slot.entry)
      })
    })
  )
}
