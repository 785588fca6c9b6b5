import { assert, it } from "@effect/vitest"
import { Context, Duration, Effect, Layer, Option, Result, Schema } from "effect"
import { TestClock } from "effect/testing"
import * as CompactedHistory from "../../src/history/CompactedHistory.ts"
import { type HistoryEntry, make as entry } from "../../src/history/HistoryEntry.ts"
import type { Answerer, PendingCall } from "../../src/history/PendingCall.ts"
import * as Slot from "../../src/history/Slot.ts"
import { SessionId } from "../../src/protocol/Session.ts"
import type { CannotOpen } from "../../src/session/SecretBox.ts"
import { Principal, type Session } from "../../src/session/Session.ts"
import { type Lease, SessionStore, type StoreError } from "../../src/session/SessionStore.ts"

export const ada = Principal.make("ada")
export const bob = Principal.make("bob")
export const id = SessionId.make("sess_1")

export const session = (id: SessionId, pending: ReadonlyArray<PendingCall> = []): Session => ({
  id,
  agent: { name: "agent", options: { tone: "kind" } },
  tools: [],
  pending
})
export const says = (content: string): HistoryEntry => entry({ role: "user", content })
export const call = (toolCallId: string, answerer: Answerer = "running"): PendingCall => ({
  call: { toolCallId, name: "look", input: { at: toolCallId } },
  answerer,
  runnable: answerer !== "client"
})
export const result = (toolCallId: string, content = `saw ${toolCallId}`): HistoryEntry =>
  entry({ role: "tool", toolCallId, content })

/** A turn that brings these slots and changes nothing else. */
export const bring =
  (...append: ReadonlyArray<Slot.Slot>) =>
  (session: Session) =>
    Result.succeed({ session, append })

const unknown = (toolCallId: string) =>
  result(
    toolCallId,
    "Tool call outcome unknown: the server stopped while the tool was running, so it may have taken effect."
  )

/** The tag of what an effect fails with. */
export const failure = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (error) => (error as { readonly _tag?: string })._tag)

/** How the time passes that rules a store's leases. */
export class Passing extends Context.Service<
  Passing,
  { readonly pass: (duration: Duration.Input) => Effect.Effect<void> }
>()("test/Passing") {
  /** The test's own clock. */
  static readonly testClock = Layer.succeed(Passing, { pass: TestClock.adjust })
}

/** Lets so much time pass for the store. */
export const pass = (duration: Duration.Input) => Effect.flatMap(Passing, (time) => time.pass(duration))

/** The contract of every `SessionStore`: what its doc comment promises, one test a promise. */
export const contract = (layer: () => Layer.Layer<SessionStore | Passing, CannotOpen | StoreError>, runs = 300) => {
  const test = (name: string, run: Effect.Effect<void, unknown, SessionStore | Passing>) =>
    it.effect(name, () => run.pipe(Effect.provide(layer())))

  test(
    "answers whether it is there, with sessions and without, also while one is held",
    Effect.gen(function* () {
      const store = yield* SessionStore
      yield* store.ping
      yield* store.create(ada, session(id), [])
      yield* store.accept(ada, id, bring())
      assert.isUndefined(yield* store.ping)
    })
  )

  test(
    "keeps what it is given, another principal's eyes aside",
    Effect.gen(function* () {
      const store = yield* SessionStore
      const pending = [call("c", "client"), call("p", "permission")]
      const history = [
        says("hello"),
        { ...says("\u0000 \ud800 🎈"), providerData: [{ block: 0, provider: "x", data: [1] }] }
      ]
      yield* store.create(ada, session(id, pending), history)
      assert.deepStrictEqual(yield* store.get(ada, id), session(id, pending))
      assert.deepStrictEqual(yield* store.history(ada, id), history)
      assert.strictEqual(yield* failure(store.get(bob, id)), "SessionNotFound")
      assert.strictEqual(yield* failure(store.history(bob, id)), "SessionNotFound")
      assert.strictEqual(yield* failure(store.remove(bob, id)), "SessionNotFound")
      assert.strictEqual(yield* failure(store.accept(bob, id, bring())), "SessionNotFound")
      assert.deepStrictEqual(yield* store.list(bob, { limit: 10 }), { sessions: [] })
    })
  )

  test(
    "gives the session to one turn at a time, and takes it back",
    Effect.gen(function* () {
      const store = yield* SessionStore
      yield* store.create(ada, session(id), [says("one")])
      const turn = yield* store.accept(ada, id, bring(Slot.entry(says("two"))))
      assert.deepStrictEqual(CompactedHistory.entries(turn.history), [says("one"), says("two")])
      assert.strictEqual(yield* failure(store.accept(ada, id, bring())), "TurnInProgress")
      yield* store.commit(turn.lease, { append: [Slot.entry(says("three"))], release: true })
      assert.strictEqual(yield* failure(store.commit(turn.lease, { append: [Slot.entry(says("four"))] })), "LeaseLost")
      yield* store.accept(ada, id, bring())
      assert.deepStrictEqual(yield* store.history(ada, id), [says("one"), says("two"), says("three")])
    })
  )

  test(
    "changes nothing when a turn is refused",
    Effect.gen(function* () {
      const store = yield* SessionStore
      yield* store.create(ada, session(id, [call("c", "client")]), [says("one")])
      assert.strictEqual(yield* Effect.flip(store.accept(ada, id, () => Result.fail("no"))), "no")
      assert.deepStrictEqual(yield* store.get(ada, id), session(id, [call("c", "client")]))
      assert.deepStrictEqual(yield* store.history(ada, id), [says("one")])
      yield* store.accept(ada, id, bring())
    })
  )

  test(
    "keeps the places of running calls, whatever comes between",
    Effect.gen(function* () {
      const store = yield* SessionStore
      yield* store.create(ada, session(id), [])
      const turn = yield* store.accept(
        ada,
        id,
        bring(Slot.running(call("a")), Slot.running(call("b")), Slot.entry(says("and then?")))
      )
      assert.deepStrictEqual(turn.history.tail, [
        Slot.running(call("a")),
        Slot.running(call("b")),
        Slot.entry(says("and then?"))
      ])
      assert.deepStrictEqual(turn.session.pending, [call("a"), call("b")])
      yield* store.commit(turn.lease, { settle: [result("b")] })
      assert.deepStrictEqual(yield* store.history(ada, id), [result("b"), says("and then?")])
      yield* store.commit(turn.lease, {
        settle: [result("a")],
        append: [Slot.entry(says("said"))],
        open: [call("c", "client")],
        release: true
      })
      assert.deepStrictEqual(yield* store.history(ada, id), [result("a"), result("b"), says("and then?"), says("said")])
      assert.deepStrictEqual((yield* store.get(ada, id)).pending, [call("c", "client")])
    })
  )

  test(
    "closes an open call at the end, and takes a result of no call for a bug that writes nothing",
    Effect.gen(function* () {
      const store = yield* SessionStore
      yield* store.create(ada, session(id), [])
      const turn = yield* store.accept(ada, id, bring(Slot.entry(says("one"))))
      yield* store.commit(turn.lease, { open: [call("c", "client")] })
      yield* store.commit(turn.lease, { settle: [result("c")] })
      const bug = yield* Effect.exit(
        store.commit(turn.lease, { append: [Slot.entry(says("x"))], settle: [result("z")] })
      )
      assert.strictEqual(bug._tag, "Failure")
      assert.deepStrictEqual(yield* store.history(ada, id), [says("one"), result("c")])
      yield* store.commit(turn.lease, { release: true })
    })
  )

  test(
    "writes a commit once, however often it is tried",
    Effect.gen(function* () {
      const store = yield* SessionStore
      yield* store.create(ada, session(id), [])
      const { lease } = yield* store.accept(ada, id, bring())
      const first = { number: 0, append: [Slot.entry(says("one")), Slot.running(call("a"))] }
      const second = { number: 1, settle: [result("a")] }
      for (const commit of [first, first, second, first, second]) yield* store.commit(lease, commit)
      assert.deepStrictEqual(yield* store.history(ada, id), [says("one"), result("a")])
      yield* store.commit(lease, { number: 2, release: true })
      yield* store.commit(lease, { number: 2, release: true })
      const next = yield* store.accept(ada, id, bring())
      assert.strictEqual(yield* failure(store.commit(lease, { number: 3 })), "LeaseLost")
      yield* store.commit(next.lease, { number: 0, append: [Slot.entry(says("two"))] })
      assert.deepStrictEqual(yield* store.history(ada, id), [says("one"), result("a"), says("two")])
    })
  )

  test(
    "stores a session once for one key of one owner, for a day",
    Effect.gen(function* () {
      const store = yield* SessionStore
      const name = (index: number) => SessionId.make(`made_${index}`)
      const make = (owner: typeof ada, index: number, fingerprint = "f") =>
        store.create(owner, session(name(index)), [], { key: "key", fingerprint })
      assert.strictEqual(yield* make(ada, 1), name(1))
      assert.strictEqual(yield* make(ada, 2), name(1))
      assert.strictEqual(yield* failure(make(ada, 3, "g")), "RequestRepeated")
      assert.strictEqual(yield* make(bob, 4), name(4))
      assert.strictEqual((yield* store.list(ada, { limit: 10 })).sessions.length, 1)
      yield* pass("1 day")
      assert.strictEqual(yield* make(ada, 5, "g"), name(5))
      yield* store.remove(ada, name(5))
      assert.strictEqual(yield* make(ada, 6), name(6))
      assert.strictEqual((yield* store.list(ada, { limit: 10 })).sessions.length, 2)
    })
  )

  test(
    "remembers a turn by its key, for a day: what it told, and how it ended",
    Effect.gen(function* () {
      const store = yield* SessionStore
      yield* store.create(ada, session(id), [says("before")])
      const one = { key: "one", fingerprint: "f" }
      const begin = (keyed: typeof one, ...append: ReadonlyArray<Slot.Slot>) =>
        store.accept(
          ada,
          id,
          (session) =>
            Result.succeed({ session, append, keyed, told: append.filter((slot) => slot._tag === "Running") }),
          keyed
        )
      const remembered = (key: string) => Effect.map(store.remembered(ada, id, key), Option.getOrUndefined)
      assert.strictEqual(yield* remembered("one"), undefined)
      const { lease } = yield* begin(one, Slot.running(call("a")), Slot.entry(says("asked")))
      assert.deepStrictEqual(yield* remembered("one"), { _tag: "Running" })
      assert.strictEqual(yield* failure(begin(one)), "RequestRepeated")
      yield* store.commit(lease, { settle: [result("a")], append: [Slot.entry(says("said"))] })
      yield* store.commit(lease, { release: true, stopReason: "end_turn" })
      const ended = { _tag: "Ended", stopReason: "end_turn", entries: [result("a"), says("said")] }
      assert.deepStrictEqual<unknown>(yield* remembered("one"), ended)
      yield* begin({ key: "two", fingerprint: "g" }, Slot.entry(says("asked again")))
      yield* pass(store.leaseDuration)
      assert.deepStrictEqual<unknown>(yield* remembered("two"), { _tag: "Ended", stopReason: "error", entries: [] })
      const third = yield* begin({ key: "three", fingerprint: "h" }, Slot.entry(says("and again")))
      yield* store.commit(third.lease, { append: [Slot.entry(says("told"))], release: true, stopReason: "end_turn" })
      assert.deepStrictEqual<unknown>(yield* remembered("two"), { _tag: "Ended", stopReason: "error", entries: [] })
      assert.deepStrictEqual<unknown>(yield* remembered("one"), ended)
      assert.strictEqual(yield* failure(store.remembered(bob, id, "one")), "SessionNotFound")
      yield* pass("1 day")
      assert.strictEqual(yield* remembered("one"), undefined)
      yield* begin(one)
    })
  )

  test(
    "stores a turn's overrides",
    Effect.gen(function* () {
      const store = yield* SessionStore
      yield* store.create(ada, session(id), [])
      const changed = { ...session(id), agent: { name: "agent", tools: [{ name: "look", trust: true }] } }
      yield* store.accept(ada, id, () => Result.succeed({ session: changed, append: [] }))
      assert.deepStrictEqual(yield* store.get(ada, id), changed)
    })
  )

  test(
    "frees a lapsed lease, fences out its holder, and says that what it ran is unknown",
    Effect.gen(function* () {
      const store = yield* SessionStore
      yield* store.create(ada, session(id), [])
      const old = yield* store.accept(ada, id, bring(Slot.running(call("a")), Slot.entry(says("one"))))
      yield* pass(Duration.subtract(store.leaseDuration, Duration.millis(1)))
      assert.strictEqual(yield* failure(store.accept(ada, id, bring())), "TurnInProgress")
      yield* pass("1 millis")
      assert.deepStrictEqual(yield* store.history(ada, id), [unknown("a"), says("one")])
      assert.deepStrictEqual((yield* store.get(ada, id)).pending, [])
      assert.strictEqual(yield* failure(store.commit(old.lease, { settle: [result("a")] })), "LeaseLost")
      assert.deepStrictEqual(yield* store.renew([old.lease]), [old.lease])
      const next = yield* store.accept(ada, id, bring(Slot.entry(says("two"))))
      assert.deepStrictEqual(CompactedHistory.entries(next.history), [unknown("a"), says("one"), says("two")])
    })
  )

  test(
    "expires what nobody touched for long, and what no turn holds",
    Effect.gen(function* () {
      const store = yield* SessionStore
      const name = (index: number) => SessionId.make(`old_${index}`)
      for (let index = 0; index < 230; index++)
        yield* store.create(index % 2 === 0 ? ada : bob, session(name(index)), [])
      yield* pass("1 hour")
      const turn = yield* store.accept(ada, name(0), bring())
      yield* store.create(ada, session(id), [says("one")])
      assert.strictEqual(yield* store.expire("1 hour"), 0)
      yield* pass("1 millis")
      assert.strictEqual(yield* store.expire("1 hour"), 229)
      assert.strictEqual(yield* store.expire("0 millis"), 1)
      assert.strictEqual(yield* store.expire("0 millis"), 0)
      assert.strictEqual(yield* failure(store.history(ada, id)), "SessionNotFound")
      yield* store.commit(turn.lease, { append: [Slot.entry(says("kept"))], release: true })
      assert.deepStrictEqual(yield* store.history(ada, name(0)), [says("kept")])
    })
  )

  test(
    "renews many leases at once, and says which of them are lost",
    Effect.gen(function* () {
      const store = yield* SessionStore
      const name = (index: number) => SessionId.make(`held_${index}`)
      const leases: Array<Lease> = []
      for (let index = 0; index < 40; index++) {
        yield* store.create(index % 2 === 0 ? ada : bob, session(name(index)), [])
        leases.push((yield* store.accept(index % 2 === 0 ? ada : bob, name(index), bring())).lease)
      }
      const [ended, removed, kept] = leases
      if (ended === undefined || removed === undefined || kept === undefined) return assert.fail("no leases")
      yield* store.commit(ended, { release: true })
      const again = yield* store.accept(ada, ended.sessionId, bring())
      yield* store.remove(bob, removed.sessionId)
      yield* pass(Duration.divideUnsafe(store.leaseDuration, 2))
      const older = { ...kept, fence: kept.fence - 1 }
      const lost = yield* store.renew([older, ...leases, again.lease])
      assert.deepStrictEqual(lost, [older, ended, removed])
      yield* pass(Duration.divideUnsafe(store.leaseDuration, 2))
      for (const lease of [again.lease, ...leases.slice(2)]) yield* store.commit(lease, { release: true })
      assert.deepStrictEqual(yield* store.renew([]), [])
    })
  )

  test(
    "holds a lease as long as it is renewed, and no longer though nobody else asks",
    Effect.gen(function* () {
      const store = yield* SessionStore
      yield* store.create(ada, session(id), [])
      const turn = yield* store.accept(ada, id, bring(Slot.running(call("a"))))
      for (let round = 0; round < 5; round++) {
        yield* pass(Duration.divideUnsafe(store.leaseDuration, 2))
        assert.deepStrictEqual(yield* store.renew([turn.lease]), [])
      }
      assert.strictEqual(yield* failure(store.accept(ada, id, bring())), "TurnInProgress")
      yield* pass(store.leaseDuration)
      assert.strictEqual(yield* failure(store.commit(turn.lease, { settle: [result("a")] })), "LeaseLost")
      assert.deepStrictEqual(yield* store.renew([turn.lease]), [turn.lease])
      const next = yield* store.accept(ada, id, bring(Slot.entry(says("next"))))
      assert.strictEqual(yield* failure(store.commit(turn.lease, {})), "LeaseLost")
      assert.deepStrictEqual(CompactedHistory.entries(next.history), [unknown("a"), says("next")])
    })
  )

  test(
    "recovers a session that was cut while its calls ran",
    Effect.gen(function* () {
      const store = yield* SessionStore
      yield* store.create(ada, session(id), ["one", "two", "three"].map(says))
      const turn = yield* store.accept(ada, id, bring(Slot.entry(says("four"))))
      const cut = { from: 2, kept: [0], shortenedTo: 0 }
      yield* store.commit(turn.lease, { cut })
      yield* store.commit(turn.lease, {
        append: [Slot.entry(says("five")), Slot.running(call("a")), Slot.running(call("b"))]
      })
      yield* store.commit(turn.lease, { settle: [result("b")] })
      yield* pass(store.leaseDuration)
      const tail = [says("three"), says("four"), says("five"), unknown("a"), result("b")]
      assert.deepStrictEqual(yield* store.compacted(ada, id), [says("one"), ...tail])
      const next = yield* store.accept(ada, id, bring())
      assert.deepStrictEqual(next.history, { cut, kept: [says("one")], tail: tail.map(Slot.entry) })
    })
  )

  test(
    "feeds what a cut leaves, and keeps the rest",
    Effect.gen(function* () {
      const store = yield* SessionStore
      yield* store.create(ada, session(id), ["one", "two", "three", "four"].map(says))
      const all = ["one", "two", "three", "four", "five"].map(says)
      assert.deepStrictEqual(yield* store.compacted(ada, id), all.slice(0, 4))
      const turn = yield* store.accept(ada, id, bring(Slot.running(call("a")), Slot.entry(says("five"))))
      const cut = { from: 3, kept: [1], summary: "so far", shortenedTo: 6 }
      yield* store.commit(turn.lease, { cut })
      assert.deepStrictEqual(yield* store.history(ada, id), all)
      yield* store.commit(turn.lease, { settle: [result("a")], release: true })
      const next = yield* store.accept(ada, id, bring(Slot.entry(says("six"))))
      assert.deepStrictEqual(next.history, {
        cut,
        kept: [says("two")],
        tail: [says("four"), result("a"), says("five"), says("six")].map(Slot.entry)
      })
      assert.deepStrictEqual(yield* store.compacted(ada, id), CompactedHistory.entries(next.history))
      assert.deepStrictEqual(yield* store.history(ada, id), [
        ...all.slice(0, 4),
        result("a"),
        says("five"),
        says("six")
      ])
      assert.strictEqual(yield* failure(store.compacted(bob, id)), "SessionNotFound")
      assert.strictEqual(yield* failure(store.commit(turn.lease, { cut })), "LeaseLost")
    })
  )

  test(
    "deletes a session under a running turn",
    Effect.gen(function* () {
      const store = yield* SessionStore
      yield* store.create(ada, session(id), [says("one")])
      const turn = yield* store.accept(ada, id, bring())
      yield* store.remove(ada, id)
      assert.strictEqual(yield* failure(store.get(ada, id)), "SessionNotFound")
      assert.strictEqual(yield* failure(store.commit(turn.lease, { append: [Slot.entry(says("two"))] })), "LeaseLost")
      yield* store.create(ada, session(id), [])
      assert.deepStrictEqual(yield* store.history(ada, id), [])
    })
  )

  test(
    "pages the newest first, once each, while sessions come and go",
    Effect.gen(function* () {
      const store = yield* SessionStore
      const name = (index: number) => SessionId.make(`sess_${index}`)
      for (let index = 0; index < 250; index++)
        yield* store.create(index % 5 === 4 ? bob : ada, session(name(index)), [])
      const seen: Array<string> = []
      let after: string | undefined
      do {
        const page = yield* store.list(ada, after === undefined ? { limit: 30 } : { after, limit: 30 })
        seen.push(...page.sessions.map((session) => session.id))
        after = page.next
        yield* store.create(ada, session(name(1000 + seen.length)), [])
        if (seen.length === 60) yield* store.remove(ada, name(0))
      } while (after !== undefined)
      const all = Array.from({ length: 250 }, (_, index) => 249 - index)
      const expected = all.filter((index) => index % 5 !== 4 && index !== 0)
      assert.deepStrictEqual(seen, expected.map(name))
    })
  )

  test(
    "refuses a cursor that it did not make, or made for another",
    Effect.gen(function* () {
      const store = yield* SessionStore
      for (const name of ["sess_1", "sess_2", "sess_3"]) yield* store.create(ada, session(SessionId.make(name)), [])
      const { next = "" } = yield* store.list(ada, { limit: 1 })
      assert.strictEqual((yield* store.list(ada, { after: next, limit: 1 })).sessions[0]?.id, "sess_2")
      for (const after of ["", "x", "!!", "czE", "1 OR 1=1", "v1.", "v1.abc", `${next}=`]) {
        assert.strictEqual(yield* failure(store.list(ada, { after, limit: 1 })), "InvalidCursor", after)
      }
      const changed = `${next.slice(0, 10)}${next[10] === "A" ? "B" : "A"}${next.slice(11)}`
      for (const after of [changed, `${next}A`, `${next}AA`, next.slice(0, -1)]) {
        assert.strictEqual(yield* failure(store.list(ada, { after, limit: 1 })), "CursorNotFound", after)
      }
      assert.strictEqual(yield* failure(store.list(bob, { after: next, limit: 1 })), "CursorNotFound")
    })
  )

  const Write = Schema.Struct({
    do: Schema.Literals(["accept", "say", "run", "settle", "release", "lapse", "read"]),
    count: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 }))
  })
  it.effect.prop(
    "reads as what was written, in order, after any writes",
    [Schema.Array(Write)],
    ([writes]) =>
      Effect.gen(function* () {
        const store = yield* SessionStore
        yield* store.create(ada, session(id), [])
        /** What the history should read, a running call by its bare id. */
        const model: Array<HistoryEntry | string> = []
        let lease: { readonly sessionId: SessionId; readonly fence: number } | undefined
        let fresh = 0
        const lapse = () => {
          for (const [index, item] of model.entries()) if (typeof item === "string") model[index] = unknown(item)
          lease = undefined
        }
        for (const write of writes) {
          const entries = Array.from({ length: write.count }, () => says(`${fresh++}`))
          if (write.do === "accept") {
            const accepted = yield* Effect.result(store.accept(ada, id, bring(...entries.map(Slot.entry))))
            assert.strictEqual(Result.isSuccess(accepted), lease === undefined)
            if (Result.isFailure(accepted)) continue
            model.push(...entries)
            lease = accepted.success.lease
          } else if (write.do === "lapse") {
            yield* pass(store.leaseDuration)
            yield* store.get(ada, id)
            lapse()
          } else if (write.do === "read" || lease === undefined) {
            assert.deepStrictEqual(
              yield* store.history(ada, id),
              model.filter((item) => typeof item !== "string")
            )
          } else if (write.do === "say") {
            yield* store.commit(lease, { append: entries.map(Slot.entry) })
            model.push(...entries)
          } else if (write.do === "run") {
            const calls = entries.map(() => call(`call_${fresh++}`))
            yield* store.commit(lease, { append: calls.map(Slot.running) })
            model.push(...calls.map(({ call }) => call.toolCallId))
          } else if (write.do === "settle") {
            const running = model
              .filter((item) => typeof item === "string")
              .reverse()
              .slice(0, write.count)
            yield* store.commit(lease, { settle: running.map((id) => result(id)) })
            for (const id of running) model[model.indexOf(id)] = result(id)
          } else {
            yield* store.commit(lease, { release: true })
            lapse()
          }
        }
        if (lease !== undefined) {
          yield* pass(store.leaseDuration)
          lapse()
        }
        assert.deepStrictEqual<ReadonlyArray<HistoryEntry | string>>(yield* store.history(ada, id), model)
      }).pipe(Effect.provide(layer())),
    { arbitrary: { runs } }
  )
}
