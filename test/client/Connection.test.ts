import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"
import * as Agent from "../../src/agent/Agent.ts"
import { connect, InvalidRequest, RequestRefused } from "../../src/client.ts"
import * as Scripted from "../../src/model/Scripted.ts"
import * as ServerTool from "../../src/tool/ServerTool.ts"
import { ToolRegistry } from "../../src/tool/ToolRegistry.ts"
import { baseUrl, testServer } from "../support/TestServer.ts"

const look = ServerTool.make({
  name: "look",
  description: "",
  input: Schema.Struct({}),
  handler: () => Effect.succeed("seen")
})
const agent = Agent.make({ name: "agent", instructions: "", tools: ["look"] })

/** A program that knows nothing of Effect, against a server whose model plays these replies. */
const program = (replies: ReadonlyArray<Scripted.Reply>, run: (url: string) => Promise<void>) =>
  Effect.flatMap(baseUrl, (url) => Effect.promise(() => run(url))).pipe(
    Effect.provide(
      testServer({
        agents: [agent],
        tools: ToolRegistry.layer(look),
        model: Scripted.layer((_, index) => replies[index] ?? Scripted.text("so")),
        server: { apiKeys: [{ name: "ada", key: Redacted.make("key") }] }
      })
    )
  )

describe("connect", () => {
  it.live("runs a session with tools and permissions, in promises alone", () =>
    program(
      [
        Scripted.reply(
          Scripted.call("add", { a: 1, b: 2 }),
          Scripted.call("look"),
          Scripted.call("fails"),
          Scripted.call("asks")
        ),
        Scripted.text("Done.")
      ],
      async (url) => {
        const server = connect({ baseUrl: url, apiKey: "key" })
        assert.strictEqual((await server.meta()).agents[0]?.name, "agent")
        const parameters = { type: "object" } as const
        const session = await server.open(
          { name: "agent", tools: [{ name: "look" }] },
          {
            tools: [
              { name: "add", description: "", parameters, run: ({ a, b }) => ({ sum: Number(a) + Number(b) }) },
              { name: "fails", description: "", parameters, run: () => Promise.reject(new Error("not today")) },
              { name: "asks", description: "", parameters, run: async (_, { toolCallId }) => toolCallId }
            ],
            permit: async ({ name }) => name === "look"
          }
        )
        let text = ""
        for await (const { event } of session.say("go")) if (event.event === "text_delta") text += event.data.delta
        assert.strictEqual(text, "Done.")
        const results = session
          .messages()
          .flatMap((message) => (message.role === "tool" ? [[message.toolCallId, message.content]] : []))
        assert.deepStrictEqual(
          new Set(results.map(([, content]) => content)),
          new Set(['{"sum":3}', "seen", "not today", "call_004"])
        )
        assert.deepStrictEqual(session.openCalls(), [])
        const again = await server.resume(session.id)
        for await (const _ of again.goOn()) assert.fail("nothing was open")
        const found = []
        for await (const { sessionId } of server.sessions()) found.push(sessionId)
        assert.deepStrictEqual(found, [session.id])
        await server.deleteSession(session.id)
        const error = await server.session(session.id).catch((error: unknown) => error)
        assert.instanceOf(error, RequestRefused)
        assert.strictEqual((error as RequestRefused).code, "session_not_found")
      }
    )
  )

  it.live.each([
    { how: "is left", isAborted: false },
    { how: "is aborted", isAborted: true }
  ])("stops a turn whose iteration $how", ({ isAborted }) =>
    program(
      [Scripted.reply(Scripted.text("Once"), Scripted.wait(Effect.never)), Scripted.text("Yes.")],
      async (url) => {
        const server = connect({ baseUrl: url, apiKey: "key" })
        const session = await server.open({ name: "agent" })
        const controller = new AbortController()
        const failure = await (async () => {
          for await (const { event } of session.say("tell me", { signal: controller.signal })) {
            if (event.event !== "text_delta") continue
            if (!isAborted) break
            controller.abort(new Error("enough"))
          }
          return undefined
        })().catch((error: unknown) => error)
        if (controller.signal.aborted) assert.strictEqual((failure as Error).message, "enough")
        else assert.isUndefined(failure)
        for await (const _ of session.say("Are you there?"));
        assert.deepStrictEqual(await server.history(session.id), session.messages())
        assert.deepStrictEqual<unknown>(session.messages().slice(0, 2), [
          { role: "user", content: "tell me" },
          { role: "assistant", content: "Once" }
        ])
      }
    )
  )

  it.live("tells its tools, and whoever decides, when a turn is stopped", () =>
    program([Scripted.reply(Scripted.call("look"), Scripted.call("dig"))], async (url) => {
      const server = connect({ baseUrl: url, apiKey: "key" })
      const signals: Array<AbortSignal> = []
      const stopping = new AbortController()
      const wait = (signal: AbortSignal) => {
        signals.push(signal)
        if (signals.length === 2) stopping.abort(new Error("enough"))
        return new Promise<never>(() => {})
      }
      const dig = { name: "dig", description: "", parameters: { type: "object" } }
      const session = await server.open(
        { name: "agent", tools: [{ name: "look" }] },
        { permit: (_, signal) => wait(signal), tools: [{ ...dig, run: (_, __, signal) => wait(signal) }] }
      )
      const stopped = (async () => {
        for await (const { event } of session.say("go", { signal: stopping.signal }))
          assert.notEqual(event.event, "error")
      })()
      assert.strictEqual(String(await stopped.catch((error: unknown) => error)), "Error: enough")
      assert.deepStrictEqual(
        signals.map(({ aborted }) => aborted),
        [true, true]
      )
    })
  )

  it.live.each(["", ".", "..", "a\ud800"])("rejects the session id %j, and throws nothing", (id) =>
    program([], async (url) => {
      const server = connect({ baseUrl: url, apiKey: "key" })
      for (const ask of [server.session, server.deleteSession, server.history, server.resume]) {
        const error: unknown = await ask(id).catch((error: unknown) => error)
        assert.instanceOf(error, InvalidRequest)
        assert.include(String(error), "that is no session id")
      }
    })
  )

  it.live("takes a decision whose reason is not there", () =>
    program([Scripted.call("look"), Scripted.text("Seen.")], async (url) => {
      const server = connect({ baseUrl: url, apiKey: "key" })
      const permit = () => ({ granted: true, reason: undefined })
      const session = await server.open({ name: "agent", tools: [{ name: "look" }] }, { permit })
      for await (const _ of session.say("go"));
      assert.include(JSON.stringify(session.messages()), "seen")
    })
  )

  it.live.each([
    { what: "is no decision", permit: () => JSON.parse('{"granted":"no"}') },
    { what: "throws what is no error", permit: () => Promise.reject(Object.create(null)) },
    {
      what: "cannot be read",
      permit: () => ({
        get granted(): boolean {
          throw new Error("a trap")
        }
      })
    }
  ])("denies where what decides $what", ({ permit }) =>
    program([Scripted.call("look"), Scripted.text("Then not.")], async (url) => {
      const server = connect({ baseUrl: url, apiKey: "key" })
      const session = await server.open({ name: "agent", tools: [{ name: "look" }] }, { permit })
      const decided = []
      for await (const { event } of session.say("go"))
        if (event.event === "permission") decided.push(event.data.granted)
      assert.deepStrictEqual(decided, [false])
      assert.include(JSON.stringify(session.messages()), "the application could not ask for permission")
    })
  )

  it.live("fails at once under a signal that was aborted before", () =>
    program([], async (url) => {
      const server = connect({ baseUrl: url, apiKey: "key" })
      const never = server.createSession({ agent: { name: "agent" } }, { signal: AbortSignal.abort(new Error("no")) })
      assert.strictEqual(String(await never.catch((error: unknown) => error)), "Error: no")
      for await (const _ of server.sessions()) assert.fail("a session was made")
      const reason = await server.meta({ signal: AbortSignal.abort("no") }).catch((error: unknown) => error)
      assert.strictEqual(reason, "no")
      const refused = await connect({ baseUrl: url })
        .meta()
        .catch((error: unknown) => error)
      assert.strictEqual((refused as RequestRefused).status, 401)
    })
  )
})
