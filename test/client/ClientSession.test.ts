import type { RequestListener } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Schema, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import * as Agent from "../../src/agent/Agent.ts"
import { AgentClient } from "../../src/client/AgentClient.ts"
import { ConnectionFailed } from "../../src/client/AgentError.ts"
import * as ClientSession from "../../src/client/ClientSession.ts"
import * as ClientTool from "../../src/client/ClientTool.ts"
import type { ModelRequest } from "../../src/model/ChatModel.ts"
import * as Scripted from "../../src/model/Scripted.ts"
import type { HistoryMessage } from "../../src/protocol/Message.ts"
import type { ToolCall } from "../../src/protocol/Tool.ts"
import { SessionId } from "../../src/protocol/Session.ts"
import * as ServerTool from "../../src/tool/ServerTool.ts"
import { ToolRegistry } from "../../src/tool/ToolRegistry.ts"
import { serve } from "../support/LoopbackServer.ts"
import { baseUrl, testServer } from "../support/TestServer.ts"

class Position extends Context.Service<Position, { readonly city: string }>()("test/Position") {}

const position = ClientTool.make({
  name: "get_position",
  description: "Where the user is.",
  input: Schema.Struct({ precise: Schema.Boolean }),
  handler: ({ precise }) => Effect.map(Position, ({ city }) => ({ city, precise }))
})
const broken = ClientTool.make({
  name: "broken",
  description: "",
  input: Schema.Struct({}),
  handler: () => Effect.die(new Error("a bug"))
})
const toolOf = (name: string, handled: Effect.Effect<unknown>) =>
  ClientTool.make({ name, description: "", input: Schema.Struct({}), handler: () => handled })
const look = ServerTool.make({
  name: "look",
  description: "",
  input: Schema.Struct({}),
  handler: () => Effect.succeed("seen")
})

const agent = Agent.make({
  name: "agent",
  instructions: ({ tone }) => `${tone}`,
  tools: ["look"],
  options: [{ type: "select", name: "tone", options: ["warm", "cool"], default: "warm" }],
  stepLimit: 100
})

const clientOf = (url: string) => AgentClient.layer({ baseUrl: url }).pipe(Layer.provide(FetchHttpClient.layer))

/** A client of a server whose model plays these replies. */
const playing = (...replies: ReadonlyArray<Scripted.Reply>) => {
  const requests: Array<ModelRequest> = []
  const model = Scripted.layer((request) => replies[requests.push(request) - 1] ?? Scripted.text("so"))
  const server = testServer({ agents: [agent], tools: ToolRegistry.layer(look), model })
  const layer = Layer.unwrap(Effect.map(baseUrl, clientOf)).pipe(Layer.provideMerge(server))
  return { layer, requests }
}

const names = (updates: ReadonlyArray<ClientSession.Update>) => updates.map(({ event }) => event.event)
const asking = { name: "agent", tools: [{ name: "look" }] }
const tools = [position, broken]
const berlin = Layer.succeed(Position, { city: "Berlin" })

const history = (id: SessionId) => Effect.flatMap(AgentClient, (client) => client.history(id))

describe("ClientSession", () => {
  it.live("runs its tools, asks for permission, and goes on to the end", () =>
    Effect.gen(function* () {
      const { layer, requests } = playing(
        Scripted.reply(
          Scripted.text("Let me see."),
          Scripted.call("get_position", { precise: true }),
          Scripted.call("look"),
          Scripted.call("broken"),
          Scripted.call("get_position", { precise: "very" })
        ),
        Scripted.text("You are in Berlin.")
      )
      yield* Effect.gen(function* () {
        const asked: Array<string> = []
        const session = yield* ClientSession.open(asking, {
          tools,
          permit: ({ name }) => Effect.sync(() => ({ granted: asked.push(name) > 0 }))
        })
        const updates = yield* Stream.runCollect(session.say("Where am I?"))
        assert.deepStrictEqual(names(updates), [
          "turn_start",
          "text_delta",
          ...Array.from({ length: 4 }, () => "tool_call"),
          "turn_stop",
          "client_result",
          "permission",
          "client_result",
          "client_result",
          "turn_start",
          "tool_result",
          "text_delta",
          "turn_stop"
        ])
        assert.deepStrictEqual(asked, ["look"])
        const told = requests[1]?.history.flatMap(({ message }) => (message.role === "tool" ? [message.content] : []))
        assert.deepStrictEqual(told?.slice(0, 3), [
          '{"city":"Berlin","precise":true}',
          "seen",
          "The tool broken failed unexpectedly."
        ])
        assert.match(String(told?.[3]), /^The input of get_position does not fit\. precise: Expected boolean/)
        assert.deepStrictEqual(yield* session.openCalls, [])
        const known = yield* session.messages
        assert.deepStrictEqual(known, yield* history(session.id))
        assert.deepStrictEqual(updates.at(-1)?.messages(), known)
      }).pipe(Effect.provide([layer, berlin]))
    })
  )

  it.live("denies by itself what nobody may grant, once", () =>
    Effect.gen(function* () {
      const { layer } = playing(Scripted.call("look"), Scripted.text("Then not."))
      yield* Effect.gen(function* () {
        const session = yield* ClientSession.open(asking)
        const updates = yield* Stream.runCollect(session.say("look"))
        assert.include(names(updates), "permission")
        assert.deepStrictEqual(yield* session.messages, yield* history(session.id))
        assert.include(JSON.stringify(yield* session.messages), "Tool call denied: this application asks nobody")
      }).pipe(Effect.provide(layer))
    })
  )

  it.live("goes on after a restart with calls still open, from the server's history", () =>
    Effect.gen(function* () {
      const { layer } = playing(
        Scripted.call("get_position", { precise: false }),
        Scripted.text("Berlin."),
        Scripted.text("You are welcome.")
      )
      yield* Effect.gen(function* () {
        const before = yield* ClientSession.open(asking, { tools })
        const stopped = yield* Deferred.make<void>()
        const running = yield* Effect.forkChild(
          Stream.runForEach(before.say("Where?"), ({ event }) =>
            event.event === "turn_stop"
              ? Effect.andThen(Deferred.succeed(stopped, undefined), Effect.never)
              : Effect.void
          )
        )
        yield* Deferred.await(stopped)
        yield* Fiber.interrupt(running)
        const after = yield* ClientSession.resume(before.id, { tools })
        assert.strictEqual((yield* after.openCalls).length, 1)
        const updates = yield* Stream.runCollect(after.say("Thanks."))
        assert.deepStrictEqual(names(updates), [
          "client_result",
          "turn_start",
          "text_delta",
          "turn_stop",
          "turn_start",
          "text_delta",
          "turn_stop"
        ])
        assert.deepStrictEqual(yield* Stream.runCollect(after.goOn), [])
        assert.deepStrictEqual(yield* after.messages, yield* history(before.id))
        // The one that was cut off finds out for itself what the server has.
        yield* Stream.runDrain(before.say("And?"))
        assert.deepStrictEqual(yield* before.messages, yield* history(before.id))
      }).pipe(Effect.provide([layer, berlin]))
    })
  )

  it.live("tells calls that were left open as not run, in the turn of what is said instead", () =>
    Effect.gen(function* () {
      const { layer, requests } = playing(
        Scripted.reply(Scripted.call("get_position", { precise: true }), Scripted.call("look"), Scripted.call("wait")),
        Scripted.text("Never mind.")
      )
      yield* Effect.gen(function* () {
        const asked = yield* Deferred.make<void>()
        const wait = toolOf("wait", Effect.andThen(Deferred.succeed(asked, undefined), Effect.never))
        const session = yield* ClientSession.open(asking, { tools: [position, wait], permit: () => Effect.never })
        const running = yield* Effect.forkChild(Stream.runDrain(session.say("Where am I?")))
        yield* Deferred.await(asked)
        yield* Fiber.interrupt(running)
        const updates = yield* Stream.runCollect(session.say("Forget it.", { notRun: "it was stopped" }))
        assert.deepStrictEqual(names(updates), [
          "client_result",
          "permission",
          "client_result",
          "turn_start",
          "tool_result",
          "text_delta",
          "turn_stop"
        ])
        assert.strictEqual(requests.length, 2)
        const messages = yield* session.messages
        assert.deepStrictEqual<unknown>(messages.slice(2), [
          // It had run before the stop.
          { role: "tool", toolCallId: "call_001", content: '{"city":"Berlin","precise":true}' },
          { role: "tool", toolCallId: "call_002", content: "Tool call denied: it was stopped" },
          { role: "tool", toolCallId: "call_003", content: "Tool call not run: it was stopped" },
          { role: "user", content: "Forget it." },
          { role: "assistant", content: "Never mind." }
        ])
        assert.deepStrictEqual(messages, yield* history(session.id))
      }).pipe(Effect.provide(Layer.provideMerge(berlin, layer)))
    })
  )

  it.live.each(["is left", "fails"])("runs a tool once for a call where the turn with its result %s", (how) =>
    Effect.gen(function* () {
      const { layer, requests } = playing(
        Scripted.reply(Scripted.call("count"), Scripted.call("wait")),
        Scripted.text("Counted."),
        Scripted.call("count")
      )
      yield* Effect.gen(function* () {
        let runs = 0
        let turns = 0
        const waiting = yield* Deferred.make<void>()
        const waits = how === "is left" ? [Effect.andThen(Deferred.succeed(waiting, undefined), Effect.never)] : []
        const count = toolOf(
          "count",
          Effect.sync(() => ++runs)
        )
        const wait = toolOf(
          "wait",
          Effect.suspend((): Effect.Effect<unknown> => waits.shift() ?? Effect.succeed("so"))
        )
        const client = yield* AgentClient
        const failing = AgentClient.of({
          ...client,
          turn: (...asked) =>
            ++turns === 2 && how === "fails"
              ? Stream.fail(new ConnectionFailed({ stage: "request", message: "gone", cause: undefined }))
              : client.turn(...asked)
        })
        const session = yield* Effect.provideService(
          ClientSession.open({ name: "agent" }, { tools: [count, wait] }),
          AgentClient,
          failing
        )
        const running = yield* Effect.forkChild(Effect.exit(Stream.runDrain(session.say("Count."))))
        if (how === "is left") {
          yield* Deferred.await(waiting)
          yield* Fiber.interrupt(running)
        } else assert.strictEqual((yield* Fiber.join(running))._tag, "Failure")
        yield* Stream.runDrain(session.goOn)
        assert.strictEqual(runs, 1)
        const results = requests[1]?.history.flatMap(({ message }) =>
          message.role === "tool" ? [message.content] : []
        )
        assert.deepStrictEqual(results, ["1", "so"])
        yield* Stream.runDrain(session.say("And again."))
        assert.strictEqual(runs, 2)
      }).pipe(Effect.provide(layer))
    })
  )

  it.live("answers a call whose tool interrupts itself", () =>
    Effect.gen(function* () {
      const { layer, requests } = playing(Scripted.call("stop"), Scripted.text("So be it."))
      yield* Effect.gen(function* () {
        const session = yield* ClientSession.open({ name: "agent" }, { tools: [toolOf("stop", Effect.interrupt)] })
        yield* Stream.runDrain(session.say("Stop."))
        assert.deepStrictEqual(requests[1]?.history.at(-1)?.message, {
          role: "tool",
          toolCallId: "call_001",
          content: "The tool stop was interrupted."
        })
      }).pipe(Effect.provide(layer))
    })
  )

  it.live("goes on after it was interrupted in the middle of a turn", () =>
    Effect.gen(function* () {
      const { layer } = playing(
        Scripted.reply(Scripted.text("I was"), Scripted.wait(Effect.never)),
        Scripted.text("Yes.")
      )
      yield* Effect.gen(function* () {
        const session = yield* ClientSession.open(asking)
        yield* Stream.runDrain(Stream.takeUntil(session.say("hello"), ({ event }) => event.event === "text_delta"))
        yield* Stream.runDrain(session.say("Are you there?"))
        const messages = yield* session.messages
        assert.deepStrictEqual(messages, yield* history(session.id))
        assert.deepStrictEqual<unknown>(messages.slice(-2), [
          { role: "user", content: "Are you there?" },
          { role: "assistant", content: "Yes." }
        ])
      }).pipe(Effect.provide(layer))
    })
  )

  it.live("runs tools side by side", () =>
    Effect.gen(function* () {
      const { layer } = playing(Scripted.reply(Scripted.call("first"), Scripted.call("second")), Scripted.text("Both."))
      const second = yield* Deferred.make<string>()
      const input = Schema.Struct({})
      const pair = [
        ClientTool.make({ name: "first", description: "", input, handler: () => Deferred.await(second) }),
        ClientTool.make({
          name: "second",
          description: "",
          input,
          handler: () => Effect.as(Deferred.succeed(second, "2"), "2")
        })
      ]
      yield* Effect.gen(function* () {
        const session = yield* ClientSession.open(asking, { tools: pair })
        assert.strictEqual(names(yield* Stream.runCollect(session.say("go"))).at(-1), "turn_stop")
      }).pipe(Effect.provide(layer))
    })
  )

  it.live("tells a session that it goes on with which tools there are now", () =>
    Effect.gen(function* () {
      const { layer, requests } = playing()
      yield* Effect.gen(function* () {
        const before = yield* ClientSession.open({ name: "agent" }, { tools })
        for (const now of [[position], []]) {
          const after = yield* ClientSession.resume(before.id, { tools: now })
          yield* Stream.runDrain(after.say("hello"))
          assert.deepStrictEqual(
            requests.at(-1)?.tools.map(({ name }) => name),
            now.map(({ spec }) => spec.name)
          )
        }
        const unsaid = yield* ClientSession.open({ name: "agent" }, { tools })
        yield* Stream.runDrain((yield* ClientSession.resume(unsaid.id)).say("hello"))
        assert.strictEqual(requests.at(-1)?.tools.length, 2)
      }).pipe(Effect.provide([layer, berlin]))
    })
  )

  it.live("runs one stream at a time, and says so to another", () =>
    Effect.gen(function* () {
      const { layer } = playing(
        Scripted.reply(Scripted.text("I was"), Scripted.wait(Effect.never)),
        Scripted.text("Yes.")
      )
      yield* Effect.gen(function* () {
        const session = yield* ClientSession.open(asking)
        const begun = yield* Deferred.make<void>()
        const running = yield* Effect.forkChild(
          Stream.runForEach(session.say("one"), () => Deferred.succeed(begun, undefined))
        )
        yield* Deferred.await(begun)
        assert.strictEqual((yield* Effect.flip(Stream.runDrain(session.say("two"))))._tag, "SessionBusy")
        assert.strictEqual((yield* Effect.flip(Stream.runDrain(session.goOn)))._tag, "SessionBusy")
        yield* Fiber.interrupt(running)
        yield* Stream.runDrain(session.say("three"))
        assert.deepStrictEqual(yield* session.messages, yield* history(session.id))
      }).pipe(Effect.provide(layer))
    })
  )

  it.live("answers a call of a tool that a resumed session has from another application", () =>
    Effect.gen(function* () {
      const { layer, requests } = playing(Scripted.call("get_position", { precise: true }), Scripted.text("Then not."))
      yield* Effect.gen(function* () {
        const before = yield* ClientSession.open(asking, { tools })
        yield* Stream.runDrain(Stream.takeUntil(before.say("Where?"), ({ event }) => event.event === "turn_stop"))
        const after = yield* ClientSession.resume(before.id)
        yield* Stream.runDrain(after.goOn)
        assert.include(JSON.stringify(requests[1]?.history), "get_position is a tool of another application")
        assert.deepStrictEqual(yield* after.messages, yield* history(after.id))
      }).pipe(Effect.provide([layer, berlin]))
    })
  )

  it.live("changes how its agent is set up with the first turn of what is said, for good", () =>
    Effect.gen(function* () {
      const { layer, requests } = playing(
        Scripted.call("get_position", { precise: true }),
        Scripted.call("look"),
        Scripted.text("Seen."),
        Scripted.text("Seen again.")
      )
      yield* Effect.gen(function* () {
        const session = yield* ClientSession.open({ name: "agent" }, { tools })
        const offered = (request: ModelRequest | undefined) => request?.tools.map(({ name }) => name)
        const refused = yield* Effect.flip(
          Stream.runDrain(session.say("hm", { agent: { tools: [{ name: "unheard_of" }] } }))
        )
        assert.strictEqual(refused._tag, "RequestRefused")
        assert.deepStrictEqual(yield* session.messages, [])
        const changed = { tools: [{ name: "look", trust: true }], options: { tone: "cool" } }
        const updates = yield* Stream.runCollect(session.say("look", { agent: changed }))
        assert.notInclude(names(updates), "permission")
        yield* Stream.runDrain(session.say("again"))
        for (const request of requests) assert.deepStrictEqual(offered(request), ["get_position", "broken", "look"])
        assert.strictEqual(requests.length, 4)
        assert.deepStrictEqual(
          requests.map(({ system }) => system),
          ["cool", "cool", "cool", "cool"]
        )
        assert.deepStrictEqual(yield* session.messages, yield* history(session.id))
      }).pipe(Effect.provide([layer, berlin]))
    })
  )

  it.live("ends an agent that calls tools for ever", () =>
    Effect.gen(function* () {
      const forever = Array.from({ length: 20 }, () => Scripted.call("get_position", { precise: true }))
      const { layer, requests } = playing(...forever)
      yield* Effect.gen(function* () {
        let runs = 0
        const counted = {
          ...position,
          run: (call: ToolCall) => Effect.tap(position.run(call), () => Effect.sync(() => runs++))
        }
        const session = yield* ClientSession.open(asking, { tools: [counted], turnLimit: 3 })
        const error = yield* Effect.flip(Stream.runDrain(session.say("go")))
        assert.strictEqual(error._tag, "TooManyTurns")
        assert.deepStrictEqual([requests.length, runs, (yield* session.openCalls).length], [3, 2, 1])
        yield* Effect.flip(Stream.runDrain(session.say("go on")))
        assert.deepStrictEqual([requests.length, runs], [6, 5])
      }).pipe(Effect.provide([layer, berlin]))
    })
  )
})

const event = (name: string, data: object) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
const call = (toolCallId: string, name = "get_position") =>
  event("tool_call", { toolCallId, name, input: { precise: true } })
const start = event("turn_start", {})
const stop = (stopReason: string) => event("turn_stop", { stopReason })
const result = (toolCallId: string) => event("tool_result", { toolCallId, content: "done" })

/** A turn that is refused since calls are open. */
const pending = "pending"

/** A server of another kind, that answers each turn with the next of these, and keeps what it was sent. */
const foreign = (...turns: ReadonlyArray<string>) => foreignWith([], turns)

/** The same, with this history. */
const foreignWith = (full: ReadonlyArray<HistoryMessage>, turns: ReadonlyArray<string>) => {
  const sent: Array<{ readonly messages: ReadonlyArray<unknown>; readonly agent?: unknown }> = []
  const listener: RequestListener = (request, response) => {
    let body = ""
    request.on("data", (piece) => (body += String(piece)))
    request.on("end", () => {
      if (!request.url?.endsWith("/turns")) {
        response.writeHead(201, { "content-type": "application/json" })
        response.end(JSON.stringify(request.method === "GET" ? { history: { full } } : { sessionId: "s1" }))
        return
      }
      sent.push(JSON.parse(body))
      if (turns[sent.length - 1] === pending) {
        response.writeHead(409, { "content-type": "application/json" })
        response.end('{"error":{"code":"pending_tool_calls","message":"calls are open"}}')
        return
      }
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.end(turns[sent.length - 1] ?? start + stop("end_turn"))
    })
  }
  const layer = Layer.unwrap(Effect.map(serve(listener), (port) => clientOf(`http://127.0.0.1:${port}`)))
  return { layer, sent }
}

const runsTo = (turns: ReadonlyArray<string>, sentIds: ReadonlyArray<ReadonlyArray<string>>) =>
  Effect.gen(function* () {
    const { layer, sent } = foreign(...turns)
    yield* Effect.gen(function* () {
      const session = yield* ClientSession.open(asking, { tools: [position], permit: ClientSession.grantAll })
      yield* Stream.runDrain(session.say("go"))
      assert.strictEqual(session.id, SessionId.make("s1"))
    }).pipe(Effect.provide([layer, berlin]))
    const answered = sent.slice(1).map(({ messages }) =>
      messages.map((message) => {
        const { role, toolCallId } = message as { readonly role: string; readonly toolCallId: string }
        return `${role} ${toolCallId}`
      })
    )
    assert.deepStrictEqual(answered, sentIds)
  })

describe("ClientSession with servers of all kinds", () => {
  it.live.each([
    {
      what: "never says that a turn has stopped",
      turns: [start + call("a"), event("text", { text: "so" })],
      sent: [["tool a"]]
    },
    {
      what: "says end_turn with a call of the application's open",
      turns: [start + call("a") + stop("end_turn")],
      sent: [["tool a"]]
    },
    {
      what: "tells a result before its call",
      turns: [start + result("b") + call("b", "look") + call("a") + stop("tool_use")],
      sent: [["tool a"]]
    },
    {
      what: "tells events in any order, and a stop too early",
      turns: [
        call("a") + event("text", { text: "hm" }) + start + call("c", "unheard_of") + stop("tool_use") + call("d")
      ],
      sent: [["tool a", "tool_permission c"]]
    },
    {
      what: "never tells what came of a granted call",
      turns: [start + call("c", "look") + stop("tool_use"), start + stop("tool_use")],
      sent: [["tool_permission c"]]
    },
    { what: "says tool_use with nothing to answer", turns: [start + stop("tool_use")], sent: [] },
    { what: "stops with an error though calls are open", turns: [start + call("a") + stop("error")], sent: [] },
    {
      what: "tells a call twice",
      turns: [start + call("a") + call("a") + stop("tool_use")],
      sent: [["tool a"]]
    },
    {
      what: "uses the id of a call again",
      turns: [start + call("a") + stop("tool_use"), start + call("a") + stop("tool_use")],
      sent: [["tool a"], ["tool a"]]
    }
  ])("gets along with one that $what", ({ sent, turns }) => runsTo(turns, sent))

  it.live("answers a call that stands in the history alone, since it was told too late", () =>
    Effect.gen(function* () {
      const asked = { type: "tool_use", toolCallId: "a", name: "get_position", input: { precise: true } } as const
      const { layer, sent } = foreignWith(
        [
          { role: "user", content: "go" },
          { role: "assistant", content: [asked] }
        ],
        [start + stop("tool_use") + call("a")]
      )
      yield* Effect.gen(function* () {
        const session = yield* ClientSession.open(asking, { tools: [position] })
        yield* Stream.runDrain(session.say("go"))
        assert.deepStrictEqual<unknown>(sent[1]?.messages, [
          { role: "tool", toolCallId: "a", content: '{"city":"Berlin","precise":true}' }
        ])
      }).pipe(Effect.provide([layer, berlin]))
    })
  )

  it.live.each([
    { what: "the turn that says it", turns: [pending], roles: ["user", "user"], fails: false },
    {
      what: "a turn behind it",
      turns: [start + call("a") + stop("tool_use"), pending],
      roles: ["user", "tool"],
      fails: true
    }
  ])("says a thing once where $what is refused for open calls", ({ fails, roles, turns }) =>
    Effect.gen(function* () {
      const { layer, sent } = foreign(...turns)
      yield* Effect.gen(function* () {
        const session = yield* ClientSession.open(asking, { tools: [position] })
        const exit = yield* Effect.exit(Stream.runDrain(session.say("pay")))
        assert.strictEqual(exit._tag, fails ? "Failure" : "Success")
        assert.deepStrictEqual(
          sent.flatMap(({ messages }) => messages.map((message) => (message as { readonly role: string }).role)),
          roles
        )
      }).pipe(Effect.provide([layer, berlin]))
    })
  )

  it.live("takes an answer without one event for no turn", () =>
    Effect.gen(function* () {
      const { layer } = foreign("")
      yield* Effect.gen(function* () {
        const session = yield* ClientSession.open(asking, { tools: [position] })
        assert.strictEqual((yield* Effect.flip(Stream.runDrain(session.say("go"))))._tag, "TurnUnfinished")
        assert.deepStrictEqual(yield* session.messages, [])
      }).pipe(Effect.provide([layer, berlin]))
    })
  )

  it.live("tells a change once, and again only where no turn has begun with it", () =>
    Effect.gen(function* () {
      const { layer, sent } = foreign("", start + call("a") + stop("tool_use"), start + stop("end_turn"))
      yield* Effect.gen(function* () {
        const session = yield* ClientSession.open(asking, { tools: [position] })
        const agent = { options: { tone: "cool" } }
        yield* Effect.ignore(Stream.runDrain(session.say("go", { agent })))
        yield* Stream.runDrain(session.say("go", { agent }))
        yield* Stream.runDrain(session.say("on"))
        assert.deepStrictEqual(
          sent.map((turn) => turn.agent),
          [agent, agent, undefined, undefined]
        )
      }).pipe(Effect.provide([layer, berlin]))
    })
  )
})
