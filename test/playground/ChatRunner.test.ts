import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import { ConnectionFailed } from "../../src/client/AgentError.ts"
import { AgentClient } from "../../src/client/AgentClient.ts"
import * as Agent from "../../src/agent/Agent.ts"
import * as Scripted from "../../src/model/Scripted.ts"
import type { Action } from "../../src/playground/chat/Chat.ts"
import * as ChatRunner from "../../src/playground/chat/ChatRunner.ts"
import * as Setup from "../../src/playground/setup/Setup.ts"
import type { SessionId } from "../../src/protocol/Session.ts"
import { baseUrl, testServer } from "../support/TestServer.ts"

const agent = Agent.make({ name: "agent", instructions: "" })
const info = { name: "agent", version: "1" }

const resumption = { tools: [], stream: "delta", isReadOnly: false } as const

/** What a runner tells, each to be waited for. */
const watched = () => {
  const actions: Array<Action> = []
  const sessions: Array<SessionId> = []
  const waiting: Array<{ readonly type: Action["type"]; readonly seen: Deferred.Deferred<void> }> = []
  const dispatch = (action: Action) => {
    actions.push(action)
    for (const { seen, type } of waiting) if (type === action.type) Deferred.doneUnsafe(seen, Effect.void)
  }
  /** Waits for the next action of a type after something was done. */
  const next = Effect.fnUntraced(function* (type: Action["type"], act: () => void) {
    const seen = yield* Deferred.make<void>()
    waiting.push({ type, seen })
    act()
    yield* Deferred.await(seen)
  })
  return { actions, sessions, dispatch, next, opened: (id: SessionId) => void sessions.push(id) }
}

describe("the runner of the page's chat", () => {
  /** A server whose model begins with this reply, and its client. */
  const served = (first: Scripted.Reply) =>
    Layer.unwrap(Effect.map(baseUrl, (url) => AgentClient.layer({ baseUrl: url }))).pipe(
      Layer.provide(FetchHttpClient.layer),
      Layer.provideMerge(
        testServer({
          agents: [agent],
          model: Scripted.layer((_, index) => (index === 0 ? first : Scripted.text("Yes.")))
        })
      )
    )
  const layer = served(Scripted.reply(Scripted.text("I was"), Scripted.wait(Effect.never)))

  it.live("leaves a session that is still being read where something is said instead", () =>
    Effect.gen(function* () {
      const client = yield* AgentClient
      const old = yield* client.createSession({ agent: { name: "agent" } })
      const read = yield* Deferred.make<void>()
      const asked = yield* Deferred.make<void>()
      const slow = AgentClient.of({
        ...client,
        history: (id, type) =>
          Deferred.succeed(asked, undefined).pipe(
            Effect.andThen(Deferred.await(read)),
            Effect.andThen(client.history(id, type))
          )
      })
      const { actions, dispatch, next, opened, sessions } = watched()
      const runner = ChatRunner.make(slow, dispatch, opened)
      runner.resume(client.session(old), () => ({ ...resumption, takeOver: () => assert.fail("taken over") }))
      yield* Deferred.await(asked)
      assert.deepStrictEqual(
        actions.map(({ type }) => type),
        ["wentOn"]
      )
      yield* next("heard", () => runner.say("hello", info, Setup.defaults, [], "delta"))
      yield* Deferred.succeed(read, undefined)
      yield* next("stopped", runner.stop)
      assert.strictEqual(sessions.length, 1)
      assert.notInclude(sessions, old)
      assert.notInclude(
        actions.map(({ type }) => type),
        "opened"
      )
    }).pipe(Effect.provide(layer))
  )

  it.live("stays with the session that is open where another one cannot be read", () =>
    Effect.gen(function* () {
      const client = yield* AgentClient
      const old = yield* client.createSession({ agent: { name: "agent" } })
      const { actions, dispatch, next, opened, sessions } = watched()
      const unread = new ConnectionFailed({ stage: "answer", message: "cut" })
      const broken = AgentClient.of({
        ...client,
        history: (id, type) => (id === old ? Effect.fail(unread) : client.history(id, type))
      })
      const runner = ChatRunner.make(broken, dispatch, opened)
      const say = (text: string) => runner.say(text, info, Setup.defaults, [], "delta")
      yield* next("heard", () => say("hello"))
      const takeOver = () => assert.fail("taken over")
      yield* next("failed", () => runner.resume(client.session(old), () => ({ ...resumption, takeOver })))
      yield* next("ended", () => say("are you there?"))
      assert.strictEqual(new Set(sessions).size, 1)
      assert.notInclude(sessions, old)
      assert.notInclude(
        actions.map(({ type }) => type),
        "opened"
      )
    }).pipe(Effect.provide(layer))
  )

  it.live("says what is said right after a stop", () =>
    Effect.gen(function* () {
      const { actions, dispatch, next, opened } = watched()
      const runner = ChatRunner.make(yield* AgentClient, dispatch, opened)
      yield* next("heard", () => runner.say("hello", info, Setup.defaults, [], "delta"))
      yield* next("ended", () => {
        runner.stop()
        runner.say("are you there?", info, Setup.defaults, [], "delta")
      })
      assert.notInclude(
        actions.map(({ type }) => type),
        "failed"
      )
      const client = yield* AgentClient
      const [session] = yield* Stream.runCollect(client.sessions)
      if (session === undefined) return assert.fail("no session")
      assert.deepStrictEqual<unknown>((yield* client.history(session.sessionId)).slice(-2), [
        { role: "user", content: "are you there?" },
        { role: "assistant", content: "Yes." }
      ])
    }).pipe(Effect.provide(layer))
  )

  it.live("says what is said after a stop with other tools at once, whatever was asked of the user before", () =>
    Effect.gen(function* () {
      const { actions, dispatch, next, opened, sessions } = watched()
      const client = yield* AgentClient
      const runner = ChatRunner.make(client, dispatch, opened)
      const mood = { spec: { name: "get_mood", description: "", parameters: {} } }
      yield* next("asked", () => runner.say("hello", info, Setup.defaults, [mood], "delta"))
      yield* next("stopped", runner.stop)
      yield* next("ended", () => runner.say("are you there?", info, Setup.defaults, [], "delta"))
      assert.strictEqual(actions.filter(({ type }) => type === "asked").length, 1)
      const [id] = sessions
      if (id === undefined) return assert.fail("no session")
      assert.deepStrictEqual<unknown>((yield* client.history(id)).slice(-3), [
        { role: "tool", toolCallId: "call_001", content: "Tool call not run: the user went on without it" },
        { role: "user", content: "are you there?" },
        { role: "assistant", content: "Yes." }
      ])
    }).pipe(Effect.provide(served(Scripted.reply(Scripted.call("get_mood")))))
  )
})
