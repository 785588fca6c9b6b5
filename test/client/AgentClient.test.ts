import type { RequestListener } from "node:http"
import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Redacted, Stream } from "effect"
import { FetchHttpClient, HttpClient, HttpClientResponse } from "effect/http"
import * as Agent from "../../src/agent/Agent.ts"
import { AgentClient } from "../../src/client/AgentClient.ts"
import * as Transcript from "../../src/history/Transcript.ts"
import * as Scripted from "../../src/model/Scripted.ts"
import { SessionId } from "../../src/protocol/Session.ts"
import type { StreamMode } from "../../src/protocol/Turn.ts"
import { serve } from "../support/LoopbackServer.ts"
import { baseUrl, testServer } from "../support/TestServer.ts"

const platforms = [
  { name: "fetch, as in a browser", http: FetchHttpClient.layer },
  { name: "node:http", http: NodeHttpClient.layerNodeHttp }
]
const id = SessionId.make("sess_1")
const hello = { messages: [{ role: "user", content: "hello" }] } as const

const clientOf = (url: string, http = FetchHttpClient.layer, apiKey?: string) =>
  AgentClient.layer({ baseUrl: url, ...(apiKey === undefined ? {} : { apiKey: Redacted.make(apiKey) }) }).pipe(
    Layer.provide(http)
  )

/** A client of a server that answers as it likes. */
const against = (listener: RequestListener) =>
  Layer.unwrap(Effect.map(serve(listener), (port) => clientOf(`http://127.0.0.1:${port}`)))

const events = Effect.flatMap(AgentClient, (client) => Stream.runCollect(client.turn(id, hello)))

/** Answers with these bytes, a packet for each, and then ends or breaks the connection. */
const streaming =
  (packets: ReadonlyArray<string | Uint8Array>, ends: "ends" | "breaks" = "ends"): RequestListener =>
  (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" })
    const write = (index: number): void => {
      const packet = packets[index]
      if (packet !== undefined) response.write(packet, () => setImmediate(write, index + 1))
      else if (ends === "ends") response.end()
      else response.destroy()
    }
    write(0)
  }

const start = "event: turn_start\ndata: {}\n\n"
const delta = (text: string) => `event: text_delta\ndata: ${JSON.stringify({ delta: text })}\n\n`
const stop = 'event: turn_stop\ndata: {"stopReason":"end_turn"}\n\n'

describe("AgentClient", () => {
  for (const { http, name } of platforms) {
    it.live(`speaks with a server from its meta to the end of a session, over ${name}`, () =>
      Effect.gen(function* () {
        const agent = Agent.make({
          name: "agent",
          instructions: "",
          capabilities: { ...Agent.defaultCapabilities, history: { full: {}, compacted: {} } }
        })
        const server = testServer({
          agents: [agent],
          model: Scripted.layer(() => Scripted.reply(Scripted.thinking("hm"), Scripted.text("Hello, ", "world."))),
          server: { apiKeys: [{ name: "ada", key: Redacted.make("key") }] }
        })
        yield* Effect.gen(function* () {
          const url = yield* baseUrl
          yield* Effect.gen(function* () {
            const client = yield* AgentClient
            assert.deepStrictEqual(
              (yield* client.meta).agents.map(({ name }) => name),
              ["agent"]
            )
            const session = yield* client.createSession({ agent: { name: "agent" } }, { idempotencyKey: "one" })
            assert.strictEqual(
              yield* client.createSession({ agent: { name: "agent" } }, { idempotencyKey: "one" }),
              session
            )
            const said = [
              {
                role: "assistant",
                content: [
                  { type: "thinking", thinking: "hm" },
                  { type: "text", text: "Hello, world." }
                ]
              }
            ]
            for (const stream of ["delta", "message", "none"] satisfies ReadonlyArray<StreamMode>) {
              const told = yield* Stream.runCollect(client.turn(session, hello, { stream }))
              assert.strictEqual(told[0]?.event, "turn_start")
              assert.deepStrictEqual(told.at(-1), { event: "turn_stop", data: { stopReason: "end_turn" } })
              assert.deepStrictEqual<unknown>(Transcript.fold(told), said)
            }
            assert.deepStrictEqual<unknown>(yield* client.answer(session, hello), {
              stopReason: "end_turn",
              messages: said
            })
            assert.strictEqual((yield* client.history(session)).length, 8)
            assert.strictEqual((yield* client.history(session, "compacted")).length, 8)
            for (let count = 0; count < 51; count++) yield* client.createSession({ agent: { name: "agent" } })
            const all = yield* Stream.runCollect(client.sessions)
            assert.strictEqual(all.length, 52)
            assert.strictEqual((yield* client.sessionPage()).sessions.length, 50)
            assert.strictEqual((yield* client.session(session)).sessionId, session)
            yield* client.deleteSession(session)
            const gone = yield* Effect.flip(client.session(session))
            assert.strictEqual(gone._tag === "RequestRefused" && gone.code, "session_not_found")
          }).pipe(Effect.provide(clientOf(url, http, "key")))
          const stranger = yield* Effect.flatMap(AgentClient, ({ meta }) => Effect.flip(meta)).pipe(
            Effect.provide(clientOf(url, http, "another"))
          )
          assert.strictEqual(stranger._tag === "RequestRefused" && stranger.status, 401)
        }).pipe(Effect.provide(server))
      })
    )

    it.live(`closes its request when it is interrupted, over ${name}`, () =>
      Effect.gen(function* () {
        const closed = yield* Deferred.make<void>()
        const port = yield* serve((request, response) => {
          response.writeHead(200, { "content-type": "text/event-stream" })
          response.write(start + delta("Hel"))
          request.socket.on("close", () => Deferred.doneUnsafe(closed, Effect.void))
        })
        const heard = yield* Deferred.make<void>()
        const turn = Effect.flatMap(AgentClient, (client) =>
          Stream.runForEach(client.turn(id, hello), ({ event }) =>
            event === "text_delta" ? Deferred.succeed(heard, undefined) : Effect.void
          )
        )
        const fiber = yield* Effect.forkChild(Effect.provide(turn, clientOf(`http://127.0.0.1:${port}`, http)))
        yield* Deferred.await(heard)
        yield* Fiber.interrupt(fiber)
        yield* Deferred.await(closed)
      })
    )
  }

  it.live.each([
    {
      what: "byte by byte",
      packets: [...Buffer.from(start + delta("Grüße 🎈") + stop)].map((byte) => Buffer.of(byte))
    },
    { what: "in one packet", packets: [start + delta("Grüße 🎈") + stop] },
    {
      what: "with CRLF, comments, ids, a retry and unknown events",
      packets: [
        ": hi\r\n\r\nid: 1\r\nretry: 10\r\n\r\n",
        `${start.replaceAll("\n", "\r\n")}event: usage\r\ndata: {"tokens":1}\r\n\r\n`,
        `${delta("Grüße 🎈").replaceAll("\n", "\r\n")}: still here\n\ndata: nothing\n\n`,
        stop
      ]
    },
    { what: "with more behind its end", packets: [start, delta("Grüße 🎈"), stop, delta("and so on"), stop] }
  ])("reads a turn that comes $what", ({ packets }) =>
    Effect.gen(function* () {
      assert.deepStrictEqual<unknown>(yield* events, [
        { event: "turn_start", data: {} },
        { event: "text_delta", data: { delta: "Grüße 🎈" } },
        { event: "turn_stop", data: { stopReason: "end_turn" } }
      ])
    }).pipe(Effect.provide(against(streaming(packets))))
  )

  it.live.each([
    { what: "without a stop", listener: streaming([start, delta("x")]), tag: "TurnUnfinished", says: "turn_stop" },
    {
      what: "cut off",
      listener: streaming([start, delta("x")], "breaks"),
      tag: "ConnectionFailed",
      says: "the connection broke before the answer was whole"
    },
    {
      what: "cut in an event",
      listener: streaming([start, 'event: text_delta\ndata: {"del']),
      tag: "TurnUnfinished",
      says: "turn_stop"
    },
    {
      what: "with data of another kind",
      listener: streaming([start, "event: text_delta\ndata: 1\n\n", stop]),
      tag: "InvalidAnswer",
      says: "text_delta"
    },
    {
      what: "with data that is no JSON",
      listener: streaming([start, "event: text_delta\ndata: {\n\n", stop]),
      tag: "InvalidAnswer",
      says: "text_delta"
    }
  ])("tells what came before, and fails, where a turn comes $what", ({ listener, says, tag }) =>
    Effect.gen(function* () {
      const told: Array<string> = []
      const turn = (yield* AgentClient).turn(id, hello)
      const error = yield* Effect.flip(Stream.runForEach(turn, ({ event }) => Effect.sync(() => told.push(event))))
      assert.strictEqual(error._tag, tag)
      assert.include(error.message, says)
      assert.strictEqual(told[0], "turn_start")
    }).pipe(Effect.provide(against(listener)))
  )

  it.live("understands a server that answers a stream with one JSON body", () =>
    Effect.gen(function* () {
      const told = yield* events
      assert.deepStrictEqual(Transcript.fold(told), [{ role: "assistant", content: "Hi." }])
      assert.strictEqual(told.length, 4)
    }).pipe(
      Effect.provide(
        against((_, response) => {
          response.writeHead(200, { "content-type": "application/json; charset=utf-8" })
          response.end('{"stopReason":"end_turn","messages":[{"role":"assistant","content":"Hi."}],"more":1}')
        })
      )
    )
  )

  it.live.each([
    { status: 500, body: "<html>oops</html>", code: "http_500", says: "<html>oops</html>" },
    { status: 502, body: "", code: "http_502", says: "with nothing" },
    { status: 404, body: '{"detail":"Not Found"}', code: "http_404", says: "Not Found" },
    {
      status: 422,
      body: '{"error":{"code":"unknown_tool","message":"no","details":[1]}}',
      code: "unknown_tool",
      says: "no"
    },
    { status: 429, body: '{"error":{"code":"slow","message":"later"}}', wait: "60", code: "slow", says: "later" }
  ])("tells a refusal with $status whoever wrote its body", ({ body, code, says, status, wait }) =>
    Effect.gen(function* () {
      const client = yield* AgentClient
      for (const ask of [client.meta, client.answer(id, hello), Stream.runDrain(client.turn(id, hello))]) {
        const error = yield* Effect.flip(Effect.asVoid(ask))
        if (error._tag !== "RequestRefused") return assert.fail(error.message)
        assert.deepStrictEqual([error.status, error.code], [status, code])
        assert.include(error.message, says)
        assert.strictEqual(error.retryAfterMillis, wait === undefined ? undefined : 60_000)
      }
    }).pipe(
      Effect.provide(
        against((_, response) => {
          response.writeHead(status, wait === undefined ? {} : { "retry-after": wait })
          response.end(body)
        })
      )
    )
  )

  it.live.each(platforms)("tells where a redirect leads, and takes nothing there, over $name", ({ http }) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Effect.flatMap(AgentClient, ({ meta }) => meta))
      assert.strictEqual(
        error.message,
        "the server answered 308 and points to https://elsewhere.test/meta, which is not followed; give that address where it is the right one"
      )
    }).pipe(
      Effect.provide(
        Layer.unwrap(
          Effect.map(
            serve((_, response) => void response.writeHead(308, { location: "https://elsewhere.test/meta" }).end()),
            (port) => clientOf(`http://127.0.0.1:${port}`, http, "key")
          )
        )
      )
    )
  )

  it.live.each([
    { body: "not JSON", says: "no JSON" },
    { body: '{"version":2}', says: "none of the protocol's" }
  ])("tells an answer that is none: $body", ({ body, says }) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip((yield* AgentClient).meta)
      assert.strictEqual(error._tag, "InvalidAnswer")
      assert.include(error.message, says)
    }).pipe(Effect.provide(against((_, response) => response.end(body))))
  )

  it.live.each([
    { type: "text/html", says: "the answer is text/html, not a stream of events" },
    { type: "Application/Problem+JSON; charset=utf-8", says: "the answer is no JSON" }
  ])("takes no $type for a turn", ({ says, type }) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(events)
      assert.deepStrictEqual([error._tag, error.message], ["InvalidAnswer", says])
    }).pipe(
      Effect.provide(
        against((_, response) => {
          response.writeHead(200, { "content-type": type })
          response.end("<html>log in</html>")
        })
      )
    )
  )

  it.live("takes media types as they are written, and what is empty for an empty object", () =>
    Effect.gen(function* () {
      const told = yield* events
      assert.deepStrictEqual<unknown>(told, [
        { event: "turn_start", data: {} },
        { event: "tool_call", data: { toolCallId: "a", name: "look", input: {} } },
        { event: "turn_stop", data: { stopReason: "end_turn" } }
      ])
    }).pipe(
      Effect.provide(
        against((_, response) => {
          response.writeHead(200, { "content-type": "Text/Event-Stream; charset=UTF-8" })
          const call = 'event: tool_call\ndata: {"toolCallId":"a","name":"look"}\n\n'
          response.end(`event: turn_start\ndata:\n\n${call}${stop}`)
        })
      )
    )
  )

  it.live("reads no more of a refusal than it must", () =>
    Effect.gen(function* () {
      const closed = yield* Deferred.make<void>()
      yield* Effect.gen(function* () {
        const error = yield* Effect.flip((yield* AgentClient).meta)
        assert.strictEqual(error._tag === "RequestRefused" && error.code, "http_500")
        assert.isBelow(error.message.length, 300)
        yield* Deferred.await(closed)
      }).pipe(
        Effect.provide(
          against((_, response) => {
            response.writeHead(500)
            const write = () => response.write("x".repeat(10_000), () => setImmediate(write))
            write()
            response.on("close", () => Deferred.doneUnsafe(closed, Effect.void))
          })
        )
      )
    })
  )

  it.effect("reads no more of an answer than it must", () =>
    Effect.gen(function* () {
      const body = Stream.forever(Stream.succeed(new Uint8Array(1_000_000).fill(0x20)))
      const endless = HttpClient.make((request) =>
        Effect.succeed(
          HttpClientResponse.fromWeb(
            request,
            new Response(Stream.toReadableStream(body), { headers: { "content-type": "application/json" } })
          )
        )
      )
      const client = AgentClient.layer({ baseUrl: "http://server.test" })
      const error = yield* Effect.flatMap(AgentClient, ({ meta }) => Effect.flip(meta)).pipe(
        Effect.provide(Layer.provide(client, Layer.succeed(HttpClient.HttpClient, endless)))
      )
      assert.strictEqual(error._tag, "InvalidAnswer")
      assert.include(error.message, "longer than 100000000 bytes")
    })
  )

  it.live("sends no trace ids, which another host may not let through", () =>
    Effect.gen(function* () {
      const sent: Array<string> = []
      yield* Effect.gen(function* () {
        yield* Effect.ignore((yield* AgentClient).meta)
      }).pipe(
        Effect.withSpan("asking"),
        Effect.provide(
          against((request, response) => {
            sent.push(...Object.keys(request.headers))
            response.end("{}")
          })
        )
      )
      assert.include(sent, "host")
      for (const name of ["traceparent", "b3"]) assert.notInclude(sent, name)
    })
  )

  it.live.each(["/sessions?after=a", "/sessions?after=b"])("ends a listing that goes round, from %s", (last) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Effect.flatMap(AgentClient, ({ sessions }) => Stream.runDrain(sessions)))
      assert.strictEqual(error.message, "the next page of sessions is one that was read before")
    }).pipe(
      Effect.provide(
        against(({ url }, response) =>
          response.end(JSON.stringify({ sessions: [], next: url === "/sessions" || url === last ? "a" : "b" }))
        )
      )
    )
  )

  it.live.each([
    { baseUrl: "nope", key: "key", says: '"nope" is no address of a server; give one such as http://127.0.0.1:3010' },
    { baseUrl: "ftp://127.0.0.1", key: "key", says: "is no address of a server" },
    { baseUrl: "http://127.0.0.1:1/v3?x=s3cret", key: "key", says: "give one such as http://127.0.0.1:1/v3" },
    { baseUrl: "http://ada:s3cret@127.0.0.1:1", key: "key", says: "has no user, password, query or fragment" },
    { baseUrl: "http://127.0.0.1:1", key: "s3cret\nkey", says: "give visible ASCII characters" },
    { baseUrl: "http://127.0.0.1:1", key: "s3cretключ", says: "give visible ASCII characters" }
  ])("sends nothing where it cannot: $says", ({ baseUrl, key, says }) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Effect.flatMap(AgentClient, ({ meta }) => meta))
      assert.strictEqual(error._tag, "InvalidRequest")
      assert.include(error.message, says)
      assert.notInclude(JSON.stringify(error), "s3cret")
    }).pipe(Effect.provide(clientOf(baseUrl, FetchHttpClient.layer, key)))
  )

  it.live("says what is wrong with a request that the protocol does not have", () =>
    Effect.gen(function* () {
      const image = { type: "image", url: "http://127.0.0.1/a.png" } as const
      const error = yield* Effect.flip(
        Effect.flatMap(AgentClient, (client) => client.answer(id, { messages: [{ role: "user", content: [image] }] }))
      )
      assert.strictEqual(error._tag, "InvalidRequest")
      assert.include(error.message, "messages[0].content[0].url")
    }).pipe(Effect.provide(clientOf("http://127.0.0.1:1")))
  )

  it.live("says where nobody listens", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Effect.flatMap(AgentClient, (client) => client.answer(id, hello)))
      assert.strictEqual(error._tag, "ConnectionFailed")
      assert.include(error.message, "cannot be reached")
    }).pipe(Effect.provide(clientOf("http://127.0.0.1:1")))
  )
})
