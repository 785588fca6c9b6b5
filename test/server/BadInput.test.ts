import { connect } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Schema } from "effect"
import { HttpServer } from "effect/http"
import * as Agent from "../../src/agent/Agent.ts"
import * as Scripted from "../../src/model/Scripted.ts"
import { ErrorBody } from "../../src/protocol/ErrorBody.ts"
import * as ServerTool from "../../src/tool/ServerTool.ts"
import { ToolRegistry } from "../../src/tool/ToolRegistry.ts"
import { type Answer, type Ask, ask, openSession, says, takeTurn, testServer } from "../support/TestServer.ts"

const tool = (name: string, hidden = false) =>
  ServerTool.make({ name, description: name, input: Schema.Struct({}), handler: () => Effect.succeed("done"), hidden })

const agents = [
  Agent.make({
    name: "agent",
    instructions: "",
    tools: ["search", "lookup"],
    options: [
      { type: "select", name: "size", options: ["s", "l"], default: "s" },
      { type: "secret", name: "token", default: "" }
    ]
  }),
  Agent.make({ name: "bare", instructions: "", capabilities: { stream: { none: {} } } })
]

/** Asks for what it is told to; else calls the client's tool and the server's. */
const model = Scripted.layer(({ history }) => {
  const last = history.at(-1)?.message
  return last?.role === "user" && last.content === "call"
    ? Scripted.reply(Scripted.call("mine"), Scripted.call("search"))
    : Scripted.text("well")
})

const server = testServer({
  agents,
  model,
  tools: ToolRegistry.layer(tool("search"), tool("lookup", true)),
  server: { bodyLimit: 100_000 }
})

const isErrorBody = Schema.is(ErrorBody)
const check = (answer: Answer, status: number, code: string) => {
  assert.strictEqual(answer.status, status, answer.text)
  assert.isTrue(isErrorBody(answer.json), answer.text)
  assert.strictEqual((answer.json as ErrorBody).error.code, code, answer.text)
  assert.strictEqual(answer.headers.get("access-control-allow-origin"), "*")
  assert.isNotNull(answer.headers.get("x-request-id"))
}

const mine = { name: "mine", description: "", parameters: {} }
const call = (toolCallId: string) => ({
  role: "assistant",
  content: [{ type: "tool_use", toolCallId, name: "mine", input: {} }]
})

const nested = (depth: number) => `{"agent":${"[".repeat(depth)}${"]".repeat(depth)}}`

const onSessions: ReadonlyArray<{
  name: string
  body: unknown
  status: number
  code: string
  path?: string
  headers?: Ask["headers"]
}> = [
  { name: "malformed JSON", body: "{", status: 400, code: "invalid_json" },
  { name: "an empty body", body: " ", status: 400, code: "invalid_json" },
  { name: "JSON that is no object", body: "7", status: 400, code: "invalid_request", path: "" },
  { name: "hostile nesting", body: nested(10_000), status: 400, code: "invalid_json" },
  {
    name: "nesting in a string",
    body: { agent: { name: "[".repeat(200) } },
    status: 422,
    code: "unknown_agent",
    path: "agent.name"
  },
  {
    name: "a form",
    body: "a=b",
    status: 415,
    code: "unsupported_media_type",
    headers: { "content-type": "application/x-www-form-urlencoded" }
  },
  {
    name: "a packed body",
    body: "{}",
    status: 415,
    code: "unsupported_media_type",
    headers: { "content-encoding": "gzip" }
  },
  { name: "no agent", body: {}, status: 400, code: "invalid_request", path: "agent" },
  { name: "a wrong type", body: { agent: { name: 7 } }, status: 400, code: "invalid_request", path: "agent.name" },
  {
    name: "a wrong type deep inside",
    body: { agent: { name: "agent" }, messages: [{ role: "user", content: [{ type: "text" }] }] },
    status: 400,
    code: "invalid_request",
    path: "messages[0].content[0].text"
  },
  {
    name: "an unknown role",
    body: { agent: { name: "agent" }, messages: [{ role: "robot", content: "" }] },
    status: 400,
    code: "invalid_request",
    path: "messages[0]"
  },
  {
    name: "an image of the wrong kind",
    body: { agent: { name: "agent" }, messages: [{ role: "user", content: [{ type: "image", url: "ftp://x" }] }] },
    status: 400,
    code: "invalid_request",
    path: "messages[0].content[0].url"
  },
  ...["https://[", "https://exa mple.com/a", "https://a:99999/x", "data:image/png;base64,!"].map((url) => ({
    name: `an image at ${url}`,
    body: { agent: { name: "agent" }, messages: [{ role: "user", content: [{ type: "image", url }] }] },
    status: 400,
    code: "invalid_request",
    path: "messages[0].content[0].url"
  })),
  {
    name: "an image the agent does not take",
    body: {
      agent: { name: "agent" },
      messages: [{ role: "user", content: [{ type: "image", url: "https://x/a.png" }] }]
    },
    status: 422,
    code: "unsupported_image",
    path: "messages[0].content[0].url"
  },
  {
    name: "an unknown agent",
    body: { agent: { name: "nobody" } },
    status: 422,
    code: "unknown_agent",
    path: "agent.name"
  },
  {
    name: "an unknown option",
    body: { agent: { name: "agent", options: { nope: "x" } } },
    status: 422,
    code: "unknown_option",
    path: "agent.options.nope"
  },
  {
    name: "a select value that is none",
    body: { agent: { name: "agent", options: { size: "m" } } },
    status: 422,
    code: "invalid_option_value",
    path: "agent.options.size"
  },
  {
    name: "an unknown server tool",
    body: { agent: { name: "agent", tools: [{ name: "nope" }] } },
    status: 422,
    code: "unknown_tool",
    path: "agent.tools[0].name"
  },
  {
    name: "a hidden server tool",
    body: { agent: { name: "agent", tools: [{ name: "lookup" }] } },
    status: 422,
    code: "unknown_tool",
    path: "agent.tools[0].name"
  },
  {
    name: "a clash of names",
    body: { agent: { name: "agent", tools: [{ name: "search" }] }, tools: [{ ...mine, name: "search" }] },
    status: 422,
    code: "tool_name_clash",
    path: "tools[0].name"
  },
  {
    name: "client tools the agent does not take",
    body: { agent: { name: "bare" }, tools: [mine] },
    status: 422,
    code: "unsupported_client_tools",
    path: "tools"
  },
  {
    name: "a dangling call in the middle",
    body: { agent: { name: "agent" }, messages: [call("a"), { role: "user", content: "x" }] },
    status: 422,
    code: "invalid_history",
    path: "messages[1]"
  },
  {
    name: "an orphan result",
    body: { agent: { name: "agent" }, messages: [{ role: "tool", toolCallId: "a", content: "x" }] },
    status: 422,
    code: "invalid_history",
    path: "messages[0]"
  },
  {
    name: "a repeated call id",
    body: {
      agent: { name: "agent" },
      messages: [call("a"), { role: "tool", toolCallId: "a", content: "x" }, call("a")]
    },
    status: 422,
    code: "invalid_history",
    path: "messages[2]"
  },
  { name: "a large body", body: { agent: { name: "x".repeat(100_000) } }, status: 413, code: "payload_too_large" }
]

const answers = (...messages: ReadonlyArray<object>) => ({ messages })
const result = (toolCallId: string) => ({ role: "tool", toolCallId, content: "x" })
const permit = (toolCallId: string) => ({ role: "tool_permission", toolCallId, granted: true })

/** On a session whose client call `call_001` and server call `call_002` are open. */
const onTurns: ReadonlyArray<{ name: string; body: unknown; status: number; code: string; path?: string }> = [
  { name: "malformed JSON", body: "[", status: 400, code: "invalid_json" },
  { name: "no messages", body: {}, status: 400, code: "invalid_request", path: "messages" },
  {
    name: "an unknown stream mode",
    body: { ...says("x"), stream: "fast" },
    status: 400,
    code: "invalid_request",
    path: "stream"
  },
  {
    name: "an assistant message",
    body: answers({ role: "assistant", content: "x" }),
    status: 400,
    code: "invalid_request",
    path: "messages[0]"
  },
  {
    name: "a permission without a decision",
    body: answers({ role: "tool_permission", toolCallId: "call_002" }),
    status: 400,
    code: "invalid_request",
    path: "messages[0].granted"
  },
  { name: "a user message while calls are open", body: says("x"), status: 409, code: "pending_tool_calls" },
  { name: "half of the answers", body: answers(result("call_001")), status: 409, code: "pending_tool_calls" },
  {
    name: "an unknown id",
    body: answers(result("call_001"), permit("call_002"), result("call_009")),
    status: 422,
    code: "unknown_tool_call",
    path: "messages[2].toolCallId"
  },
  {
    name: "a repeated id",
    body: answers(result("call_001"), result("call_001"), permit("call_002")),
    status: 422,
    code: "repeated_answer",
    path: "messages[1].toolCallId"
  },
  {
    name: "a result for a server call",
    body: answers(result("call_001"), result("call_002")),
    status: 422,
    code: "wrong_answer",
    path: "messages[1].toolCallId"
  },
  {
    name: "a permission for a client call",
    body: answers(permit("call_001"), permit("call_002")),
    status: 422,
    code: "wrong_answer",
    path: "messages[0].toolCallId"
  },
  {
    name: "an unknown option",
    body: { ...answers(result("call_001"), permit("call_002")), agent: { options: { nope: "" } } },
    status: 422,
    code: "unknown_option",
    path: "agent.options.nope"
  },
  {
    name: "an override that clashes",
    body: {
      ...answers(result("call_001"), permit("call_002")),
      agent: { tools: [{ name: "search" }] },
      tools: [{ ...mine, name: "search" }]
    },
    status: 422,
    code: "tool_name_clash",
    path: "tools[0].name"
  }
]

const everything = (id: string) =>
  Effect.all([ask("/sessions"), ask(`/sessions/${id}`), ask(`/sessions/${id}/history?type=full`)]).pipe(
    Effect.map((answers) => answers.map(({ text }) => text))
  )

const checkPath = (answer: Answer, path: string | undefined) => {
  if (path === undefined) return
  const { details } = (
    answer.json as {
      readonly error: { readonly details: ReadonlyArray<{ readonly path: string; readonly message: string }> }
    }
  ).error
  assert.include(
    details.map((detail) => detail.path),
    path
  )
  for (const { message } of details) assert.isAbove(message.length, 5)
}

describe("bad input", () => {
  it.live("to POST /sessions is told, and changes nothing", () =>
    Effect.gen(function* () {
      const id = yield* openSession()
      const before = yield* everything(id)
      for (const { body, code, headers, name, path, status } of onSessions) {
        const answer = yield* ask("/sessions", headers === undefined ? { body } : { body, headers })
        check(answer, status, code)
        checkPath(answer, path)
        assert.deepStrictEqual(yield* everything(id), before, name)
      }
      yield* takeTurn(id, says("still there?"))
    }).pipe(Effect.provide(server))
  )

  it.live("to POST turns is told, and changes nothing", () =>
    Effect.gen(function* () {
      const id = yield* openSession({ agent: { name: "agent", tools: [{ name: "search" }] }, tools: [mine] })
      yield* takeTurn(id, says("call"))
      const before = yield* everything(id)
      for (const { body, code, name, path, status } of onTurns) {
        const answer = yield* ask(`/sessions/${id}/turns`, { body })
        check(answer, status, code)
        checkPath(answer, path)
        assert.deepStrictEqual(yield* everything(id), before, name)
      }
      const { json } = yield* takeTurn(id, answers(permit("call_002"), result("call_001")))
      assert.deepStrictEqual((json as { stopReason: string }).stopReason, "end_turn")
      check(yield* ask(`/sessions/${id}/turns`, { body: answers() }), 422, "empty_turn")
      check(yield* ask(`/sessions/${id}/turns`, { body: says(" ") }), 422, "empty_turn")
    }).pipe(Effect.provide(server))
  )

  it.live("a pending call is named by its id", () =>
    Effect.gen(function* () {
      const id = yield* openSession({ agent: { name: "agent" }, messages: [call("a")] })
      const { json } = yield* takeTurn(id, says("x"))
      assert.deepStrictEqual((json as ErrorBody).error.details, { toolCallIds: ["a"] })
    }).pipe(Effect.provide(server))
  )

  it.live("in paths, queries and methods is told", () =>
    Effect.gen(function* () {
      const id = yield* openSession()
      check(yield* ask("/nothing"), 404, "not_found")
      check(yield* ask("/sessions/nobody"), 404, "session_not_found")
      check(yield* ask("/sessions/nobody/history?type=full"), 404, "session_not_found")
      check(yield* ask("/sessions/nobody", { method: "DELETE" }), 404, "session_not_found")
      check(yield* ask("/sessions/nobody/turns", { body: says("x") }), 404, "session_not_found")
      check(yield* ask("/sessions/%00%ff/history?type=full"), 404, "not_found")
      check(yield* ask(`/sessions/${id}/history`), 400, "invalid_request")
      check(yield* ask(`/sessions/${id}/history?type=short`), 400, "invalid_request")
      check(yield* ask(`/sessions/${id}/history?type=compacted`), 404, "history_not_supported")
      check(yield* ask("/sessions?after=nonsense"), 400, "invalid_cursor")
      const wrong = yield* ask(`/sessions/${id}`, { method: "PUT" })
      check(wrong, 405, "method_not_allowed")
      assert.strictEqual(wrong.headers.get("allow"), "GET, DELETE")
      const bare = yield* openSession({ agent: { name: "bare" } })
      check(yield* takeTurn(bare, { ...says("x"), stream: "delta" }), 422, "unsupported_stream_mode")
    }).pipe(Effect.provide(server))
  )

  it.live("in bytes is told, and leaves the connection of use", () =>
    Effect.gen(function* () {
      const { address } = yield* HttpServer.HttpServer
      const port = "port" in address ? address.port : 0
      const send = (bytes: Buffer) =>
        Effect.promise(
          () =>
            new Promise<string>((resolve) => {
              const socket = connect(port, "127.0.0.1", () => socket.write(bytes))
              let heard = ""
              socket.setEncoding("utf8")
              socket.on("data", (text: string) => {
                heard += text
              })
              socket.on("error", () => resolve(heard))
              socket.on("close", () => resolve(heard))
            })
        )
      const post = (headers: string, body: Buffer) =>
        Buffer.concat([
          Buffer.from(
            `POST /sessions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n${headers}\r\n\r\n`
          ),
          body
        ])
      const next = Buffer.from("GET /meta HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n")
      const invalid = Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])
      const afterInvalid = yield* send(Buffer.concat([post("content-length: 6", invalid), next]))
      assert.match(afterInvalid, /^HTTP\/1\.1 400 [\s\S]*invalid_json[\s\S]*HTTP\/1\.1 200 /)
      const announced = yield* send(post("content-length: 50000000\r\nconnection: close", Buffer.alloc(10)))
      assert.match(announced, /^HTTP\/1\.1 413 [\s\S]*payload_too_large/)
      const chunk = Buffer.concat([Buffer.from("10000\r\n"), Buffer.alloc(0x10000, 0x20), Buffer.from("\r\n")])
      const chunked = yield* send(
        post("transfer-encoding: chunked\r\nconnection: close", Buffer.concat([chunk, chunk]))
      )
      assert.match(chunked, /^HTTP\/1\.1 413 /)
      assert.strictEqual((yield* ask("/meta")).status, 200)
    }).pipe(Effect.provide(server))
  )

  it.live("a body of endless values is refused before it is parsed", () =>
    Effect.gen(function* () {
      const answer = yield* ask("/sessions", { body: `[${"0,".repeat(600_000)}0]` })
      check(answer, 400, "invalid_json")
    }).pipe(Effect.provide(testServer()))
  )

  it.live("unknown fields are passed over, and a byte order mark too", () =>
    Effect.gen(function* () {
      const answer = yield* ask("/sessions", {
        body: '\ufeff{"agent":{"name":"agent","__proto__":{"a":1}},"future":[1]}'
      })
      assert.strictEqual(answer.status, 201, answer.text)
    }).pipe(Effect.provide(server))
  )
})

describe("keys", () => {
  const apiKeys = [
    { name: "ada", key: Redacted.make("key-a") },
    { name: "ada", key: Redacted.make("key-a2") },
    { name: "bob", key: Redacted.make("key-b") }
  ]
  const as = (key: string): Ask => ({ headers: { authorization: `Bearer ${key}` } })

  it.live("let in their principals, and nobody else's eyes", () =>
    Effect.gen(function* () {
      for (const headers of [
        {},
        { authorization: "Bearer nope" },
        { authorization: "key-a" },
        { authorization: "Basic a2V5LWE=" },
        { authorization: "Bearer " }
      ]) {
        const answer = yield* ask("/sessions", { headers })
        check(answer, 401, "unauthorized")
        assert.strictEqual(answer.headers.get("www-authenticate"), "Bearer")
        check(yield* ask("/sessions", { headers, body: { agent: { name: "agent" } } }), 401, "unauthorized")
      }
      const { json } = yield* ask("/sessions", {
        ...as("key-a"),
        body: { agent: { name: "agent", options: { token: "s3cret" } } }
      })
      const id = (json as { sessionId: string }).sessionId
      for (const path of [`/sessions/${id}`, `/sessions/${id}/history?type=full`]) {
        assert.strictEqual((yield* ask(path, as("key-a2"))).status, 200)
        check(yield* ask(path, as("key-b")), 404, "session_not_found")
      }
      check(yield* ask(`/sessions/${id}`, { ...as("key-b"), method: "DELETE" }), 404, "session_not_found")
      check(yield* ask(`/sessions/${id}/turns`, { ...as("key-b"), body: says("x") }), 404, "session_not_found")
      assert.deepStrictEqual((yield* ask("/sessions", as("key-b"))).json, { sessions: [] })
      const shown = yield* ask(`/sessions/${id}`, as("key-a"))
      assert.include(shown.text, '"token":"***"')
      assert.notInclude(shown.text, "s3cret")
      assert.strictEqual((yield* ask("/openapi.json")).status, 200)
    }).pipe(
      Effect.provide(
        testServer({ agents, tools: ToolRegistry.layer(tool("search"), tool("lookup", true)), server: { apiKeys } })
      )
    )
  )

  it.live("are not asked of a preflight", () =>
    Effect.gen(function* () {
      const headers = {
        origin: "https://page.test",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization"
      }
      for (const path of ["/sessions", "/sessions/x/turns", "/nothing"]) {
        const answer = yield* ask(path, { method: "OPTIONS", headers })
        assert.strictEqual(answer.status, 204)
        assert.include(answer.headers.get("access-control-allow-headers") ?? "", "authorization")
        assert.include(answer.headers.get("access-control-allow-methods") ?? "", "DELETE")
        assert.isAbove(Number(answer.headers.get("access-control-max-age")), 0)
      }
    }).pipe(Effect.provide(testServer({ server: { apiKeys } })))
  )
})

describe("the request id", () => {
  it.live("is the client's own if it is a plain one", () =>
    Effect.gen(function* () {
      const given = yield* ask("/meta", { headers: { "x-request-id": "abc-1" } })
      assert.strictEqual(given.headers.get("x-request-id"), "abc-1")
      const traced = yield* ask("/meta", { headers: { "x-request-id": "Root=1-5f84c7a5-ab+/9@eu" } })
      assert.strictEqual(traced.headers.get("x-request-id"), "Root=1-5f84c7a5-ab+/9@eu")
      const made = yield* ask("/meta", { headers: { "x-request-id": "a b" } })
      assert.match(made.headers.get("x-request-id") ?? "", /^[0-9a-f-]{36}$/)
    }).pipe(Effect.provide(Layer.fresh(testServer())))
  )
})
