import { assert } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Schema } from "effect"
import * as Agent from "../../src/agent/Agent.ts"
import * as Scripted from "../../src/model/Scripted.ts"
import { SessionStore } from "../../src/session/SessionStore.ts"
import * as ServerTool from "../../src/tool/ServerTool.ts"
import { ToolRegistry } from "../../src/tool/ToolRegistry.ts"
import { soundRows } from "./SoundStore.ts"
import { ask, openSession, says, takeTurn, testServer } from "./TestServer.ts"

/** A database, how it is broken, and how it is mended. */
export interface Trouble {
  readonly breaks: Effect.Effect<void>
  readonly mends: Effect.Effect<void>
}

const trusting = { agent: { name: "agent", tools: [{ name: "look", trust: true }] } }
const long = "x".repeat(200_000)

/** A server over a store, whose turn waits in its tool until it is let go, and tells of the first write that fails. */
const make = Effect.gen(function* () {
  const running = yield* Deferred.make<void>()
  const gate = yield* Deferred.make<void>()
  const failed = yield* Deferred.make<void>()
  const look = ServerTool.make({
    name: "look",
    description: "",
    input: Schema.Struct({}),
    handler: () => Deferred.succeed(running, undefined).pipe(Effect.andThen(Deferred.await(gate)), Effect.as(long))
  })
  const watched = (store: Layer.Layer<SessionStore>) =>
    Layer.effect(
      SessionStore,
      Effect.map(SessionStore, (store) =>
        SessionStore.of({
          ...store,
          commit: (lease, commit) =>
            Effect.tapError(store.commit(lease, commit), () => Deferred.succeed(failed, undefined))
        })
      )
    ).pipe(Layer.provide(store))
  const server = (store: Layer.Layer<SessionStore>) =>
    testServer({
      agents: [Agent.make({ name: "agent", instructions: "", tools: ["look"] })],
      tools: ToolRegistry.layer(look),
      model: Scripted.layer(({ history }) =>
        history.at(-1)?.message.role === "user" && history.length === 1
          ? Scripted.reply(Scripted.text("Looking."), Scripted.call("look"))
          : Scripted.text("Seen.")
      ),
      store: watched(store)
    })
  return { running, gate, failed, server }
})

type Store = Layer.Layer<SessionStore>

/** Refused before anything is begun, in the protocol's own shape. */
const assertUnavailable = Effect.fnUntraced(function* (id: string) {
  const stream = yield* takeTurn(id, says(long, { stream: "delta" }))
  const created = yield* ask("/sessions", { body: { ...trusting, messages: [{ role: "user", content: long }] } })
  for (const { headers, status, text } of [stream, created]) {
    assert.strictEqual(status, 503, text)
    assert.include(text, '"code":"store_unavailable"')
    assert.strictEqual(headers.get("retry-after"), "1")
    assert.match(headers.get("content-type") ?? "", /^application\/json/)
  }
})

const stops = (text: string) => text.split("event: turn_stop").length - 1

/** The session's next turn, as soon as the lease of the one before has lapsed. */
const nextTurn = (id: string) =>
  Effect.repeat(takeTurn(id, says("and now?")), {
    while: ({ status }) => Effect.as(Effect.sleep("100 millis"), status === 409),
    times: 100
  })

/** The database is away for a moment while a tool runs: the turn goes on, and nobody notices. */
export const passes = Effect.fnUntraced(function* (store: Store, { breaks, mends }: Trouble) {
  const { failed, gate, running, server } = yield* make
  yield* Effect.gen(function* () {
    const id = yield* openSession(trusting)
    const turn = yield* Effect.forkChild(takeTurn(id, says("go", { stream: "message" })))
    yield* Deferred.await(running)
    yield* breaks
    yield* Deferred.succeed(gate, undefined)
    yield* Deferred.await(failed)
    const during = yield* soundRows(id)
    assert.deepStrictEqual(
      during.messages.map(({ role }) => role),
      ["user", "assistant"]
    )
    assert.isAbove(during.leaseExpiresAt, 0)
    yield* mends
    const { text } = yield* Fiber.join(turn)
    assert.strictEqual(stops(text), 1)
    assert.match(text, /"stopReason":"end_turn"\}\n\n$/)
    const after = yield* soundRows(id)
    assert.deepStrictEqual(
      after.messages.map(({ role }) => role),
      ["user", "assistant", "tool", "assistant"]
    )
    assert.deepStrictEqual([after.pending, after.leaseExpiresAt], [[], 0])
    assert.strictEqual((yield* takeTurn(id, says("and now?"))).status, 200)
  }).pipe(Effect.provide(server(store)))
})

/** The database is away for longer than a turn waits: it ends with `error`, and the next one goes on once all is well. */
export const lasts = Effect.fnUntraced(function* (store: Store, { breaks, mends }: Trouble) {
  const { gate, running, server } = yield* make
  yield* Effect.gen(function* () {
    const id = yield* openSession(trusting)
    const idle = yield* openSession(trusting)
    const turn = yield* Effect.forkChild(takeTurn(id, says("go", { stream: "message" })))
    yield* Deferred.await(running)
    yield* breaks
    yield* assertUnavailable(idle)
    yield* Deferred.succeed(gate, undefined)
    const { status, text } = yield* Fiber.join(turn)
    assert.strictEqual(status, 200)
    assert.strictEqual(stops(text), 1)
    assert.match(text, /"stopReason":"error"\}\n\n$/)
    const left = yield* soundRows(id)
    assert.deepStrictEqual(
      left.messages.map(({ role }) => role),
      ["user", "assistant"]
    )
    assert.strictEqual(left.pending.length, 1)
    assert.deepStrictEqual((yield* soundRows(idle)).messages, [])
    yield* mends
    const served = yield* Effect.repeat(takeTurn(idle, says("go")), {
      while: ({ status }) => status === 503,
      times: 20
    })
    assert.strictEqual(served.status, 200)
    assert.include((yield* nextTurn(id)).text, '"stopReason":"end_turn"')
    const after = yield* soundRows(id)
    assert.deepStrictEqual(
      after.messages.map(({ role }) => role),
      ["user", "assistant", "tool", "user", "assistant"]
    )
    assert.include(JSON.stringify(after.messages[2]), "outcome unknown")
    assert.deepStrictEqual([after.pending, after.leaseExpiresAt], [[], 0])
  }).pipe(Effect.provide(server(store)))
})
