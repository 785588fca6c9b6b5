import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result, Stream } from "effect"
import { HttpClient } from "effect/http"
import * as Agent from "../../src/agent/Agent.ts"
import { AgentCatalog } from "../../src/agent/AgentCatalog.ts"
import * as Scripted from "../../src/model/Scripted.ts"
import type { ChatModel } from "../../src/model/ChatModel.ts"
import { SessionId } from "../../src/protocol/Session.ts"
import type { TurnRequest } from "../../src/protocol/Turn.ts"
import { Principal } from "../../src/session/Session.ts"
import { SessionStore } from "../../src/session/SessionStore.ts"
import * as SqliteClient from "../../src/session/SqliteClient.ts"
import * as SqlSessionStore from "../../src/session/SqlSessionStore.ts"
import { ToolRegistry } from "../../src/tool/ToolRegistry.ts"
import * as NewSession from "../../src/turn/NewSession.ts"
import { TurnRunner } from "../../src/turn/TurnRunner.ts"
import { sign } from "../support/models/dialect.ts"
import { MockModel } from "../support/models/MockModel.ts"
import { dialects } from "../support/models/scripts.ts"
import { temporaryFile } from "../support/TemporaryFile.ts"
import { testSecrets } from "../support/TestSecrets.ts"

const owner = Principal.make("tester")
const id = SessionId.make("sess_1")
const agent = Agent.make({
  name: "agent",
  instructions: "Be brief.",
  model: ({ model }) => model ?? "",
  options: [{ type: "text", name: "model", default: "" }]
})
const look = { name: "look", description: "Looks.", parameters: { type: "object" } }

/** Everything but the model and the file, built anew each time, as after a restart. */
const process = (filename: string, model: Layer.Layer<ChatModel, never, HttpClient.HttpClient>) =>
  TurnRunner.layer.pipe(
    Layer.provideMerge(AgentCatalog.layer(agent)),
    Layer.provideMerge(ToolRegistry.layer()),
    Layer.provideMerge(SqlSessionStore.layer()),
    Layer.provide(testSecrets),
    Layer.provide(Layer.orDie(SqliteClient.layer({ filename }))),
    Layer.provideMerge(model),
    Layer.provide(NodeHttpClient.layerNodeHttp)
  )

const open = Effect.gen(function* () {
  const cataloged = (yield* AgentCatalog).get("agent")
  if (cataloged === undefined) return yield* Effect.die("no agent")
  const request = { agent: { name: "agent" }, tools: [look] }
  const { history, session } = Result.getOrThrow(NewSession.make(cataloged, id, request))
  yield* (yield* SessionStore).create(owner, session, history)
})

const run = Effect.fnUntraced(function* (request: TurnRequest) {
  const turn = yield* (yield* TurnRunner).accept(owner, id, request)
  const last = (yield* Stream.runCollect(turn.events)).at(-1)
  return last?.event === "turn_stop" ? last.data.stopReason : undefined
})

const model = (model: string) => ({ options: { model } })
const answer = Effect.flatMap(SessionStore, (store) =>
  Effect.map(store.get(owner, id), ({ pending }) =>
    pending.map(({ call: { toolCallId } }) => ({ role: "tool", toolCallId, content: "seen" }) as const)
  )
)

const lastRequest = Effect.gen(function* () {
  const { baseUrl } = yield* MockModel
  const response = yield* (yield* HttpClient.HttpClient).get(`${baseUrl}/requests`)
  return JSON.stringify(((yield* response.json) as ReadonlyArray<unknown>).at(-1))
}).pipe(Effect.provide(NodeHttpClient.layerNodeHttp))

/** What must stand in the request after the call, as only the provider could have made it. */
const proof: Record<string, ReadonlyArray<string>> = {
  openai: [
    '"tool_call_id":"chat_2"',
    '"reasoning_content":"I should look. 東京 🎈"',
    `"extra_content":{"google":{"thought_signature":"${sign("look")}"}}`
  ],
  "openai-responses": [
    '"id":"rs_0"',
    '"id":"rs_1"',
    '"summary":[{"type":"summary_text","text":"I should look. 東京 🎈"}]'
  ],
  anthropic: [`"signature":"${sign("I should look. 東京 🎈")}"`, '"data":"cipher-x"'],
  gemini: [`"thoughtSignature":"${sign('look{"at":"it"}')}"`]
}

describe("reasoning", () => {
  for (const dialect of dialects) {
    it.live(`goes back to ${dialect.name} with the calls it led to, also after a restart`, () =>
      Effect.gen(function* () {
        const { baseUrl } = yield* MockModel
        const filename = yield* temporaryFile
        const stop = yield* Effect.gen(function* () {
          yield* open
          return yield* run({ agent: model("thoughtful-call"), messages: [{ role: "user", content: "go" }] })
        }).pipe(Effect.provide(process(filename, dialect.layer(baseUrl))))
        assert.strictEqual(stop, "tool_use")
        yield* Effect.gen(function* () {
          assert.strictEqual(yield* run({ agent: model("thoughtful-call"), messages: yield* answer }), "tool_use")
          const body = yield* lastRequest
          for (const text of proof[dialect.name] ?? []) assert.include(body, text)
          const shown = yield* (yield* SessionStore).history(owner, id)
          assert.notInclude(JSON.stringify(shown.map(({ message }) => message)), "signed-")
          assert.notInclude(JSON.stringify(shown.map(({ message }) => message)), "cipher-")
        }).pipe(Effect.provide(process(filename, dialect.layer(baseUrl))))
      }).pipe(Effect.provide(MockModel.layer(dialect.name)))
    )

    it.live(`of another model's is not told to ${dialect.name}`, () =>
      Effect.gen(function* () {
        const { baseUrl } = yield* MockModel
        const filename = yield* temporaryFile
        yield* Effect.gen(function* () {
          yield* open
          yield* run({ agent: model("thoughtful-call"), messages: [{ role: "user", content: "go" }] })
          assert.strictEqual(yield* run({ agent: model("text"), messages: yield* answer }), "end_turn")
          const body = yield* lastRequest
          for (const secret of ["signed-", "cipher-", '"rs_0"', "I should look"]) assert.notInclude(body, secret)
        }).pipe(Effect.provide(process(filename, dialect.layer(baseUrl))))
      }).pipe(Effect.provide(MockModel.layer(dialect.name)))
    )

    it.live(`of another provider's is not told to ${dialect.name}`, () =>
      Effect.gen(function* () {
        const { baseUrl } = yield* MockModel
        const filename = yield* temporaryFile
        const other = Scripted.layer([
          Scripted.reply(
            Scripted.thinking("a thought of somebody else's"),
            Scripted.event({ type: "provider_data", data: { type: "thinking", thinking: "x", signature: "forged" } }),
            Scripted.call("look")
          )
        ])
        yield* Effect.andThen(open, run({ messages: [{ role: "user", content: "go" }] })).pipe(
          Effect.provide(process(filename, other))
        )
        yield* Effect.gen(function* () {
          assert.strictEqual(yield* run({ agent: model("text"), messages: yield* answer }), "end_turn")
          const body = yield* lastRequest
          assert.notInclude(body, "forged")
          assert.notInclude(body, "somebody else")
        }).pipe(Effect.provide(process(filename, dialect.layer(baseUrl))))
      }).pipe(Effect.provide(MockModel.layer(dialect.name)))
    )
  }
})
