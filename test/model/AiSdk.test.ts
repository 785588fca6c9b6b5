import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart
} from "@ai-sdk/provider"
import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Option, Result, Schema, Stream } from "effect"
import { type HistoryEntry, make as entry } from "../../src/history/HistoryEntry.ts"
import * as AiSdk from "../../src/model/AiSdk.ts"
import { ChatModel } from "../../src/model/ChatModel.ts"
import * as Step from "../../src/turn/Step.ts"
import { anyEntry, ToolNames } from "../support/AnyHistory.ts"
import { chat } from "../support/models/chat.ts"
import { MockModel } from "../support/models/MockModel.ts"
import { look, request, speaks } from "../support/models/speaks.ts"

/** The models of a real provider package, at the mock server. */
const mock = Layer.unwrap(
  Effect.map(MockModel, ({ baseUrl: baseURL }) =>
    AiSdk.layer(createOpenAICompatible({ name: "mock", baseURL, apiKey: "secret", includeUsage: true }), {
      idleTimeout: "300 millis"
    })
  )
).pipe(Layer.provideMerge(Layer.merge(MockModel.layer("openai"), NodeHttpClient.layerNodeHttp)))

/** A model that answers with parts, and what it was asked. */
const fake = (modelId: string, ...parts: ReadonlyArray<LanguageModelV4StreamPart>) => {
  const calls: Array<LanguageModelV4CallOptions> = []
  const model: LanguageModelV4 = {
    specificationVersion: "v4",
    provider: "fake",
    modelId,
    supportedUrls: { "image/*": [/^https:\/\/seen\.test\//] },
    doGenerate: () => Promise.reject(new Error("not streamed")),
    doStream: (options) => {
      calls.push(options)
      return Promise.resolve({ stream: ReadableStream.from(parts) })
    }
  }
  return { model, calls }
}

const finish = (
  finishReason: LanguageModelV4FinishReason = { unified: "stop", raw: "stop" }
): LanguageModelV4StreamPart => ({
  type: "finish",
  finishReason,
  usage: {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 }
  }
})

const ask = (model: LanguageModelV4, history: ReadonlyArray<HistoryEntry> = [entry({ role: "user", content: "hi" })]) =>
  Effect.flatMap(ChatModel, (chat) => Stream.runCollect(chat.stream({ ...request("m"), history }))).pipe(
    Effect.result,
    Effect.provide(AiSdk.layer(model))
  )

/** Resolves no name, so that no test leaves the machine. */
const nowhere: NonNullable<NonNullable<AiSdk.AiSdkOptions["images"]>["resolve"]> = (_, __, callback) =>
  callback(new Error("no network"), [])

const toolbox = { specs: [look], answerers: new Map([["look", "client" as const]]) }

/** The entry that a turn would store of an answer. */
const stored = (events: ReadonlyArray<Parameters<typeof Step.apply>[1]>) => {
  let step = Step.initial
  for (const event of events) step = Step.apply(step, event, toolbox, "call_ours")[0]
  return Option.toArray(Option.fromUndefinedOr(Step.toEntry(step, "ai-sdk")))
}

describe("AiSdk", () => {
  speaks("a provider package", mock)

  it.live.prop(
    "asks in a way that a strict server takes, whatever history there is",
    [Schema.Array(anyEntry("ai-sdk")), Schema.Array(ToolNames)],
    ([history, tools]) =>
      Effect.gen(function* () {
        let body = ""
        const fetch = (_: unknown, init?: RequestInit) => {
          body = String(init?.body)
          return Promise.resolve(new Response("data: [DONE]\n\n", { headers: { "content-type": "text/event-stream" } }))
        }
        const models = createOpenAICompatible({ name: "mock", baseURL: "http://127.0.0.1", includeUsage: true, fetch })(
          "m"
        )
        const specs = [...new Set(tools)].map((name) => ({ ...look, name }))
        yield* Effect.flatMap(ChatModel, (chat) =>
          Effect.result(Stream.runDrain(chat.stream({ model: "m", system: " ", history, tools: specs })))
        ).pipe(Effect.provide(AiSdk.layer(models, { images: { resolve: nowhere } })))
        assert.strictEqual(chat.flaw(JSON.parse(body), "m"), undefined)
      }),
    { arbitrary: { runs: 100 } }
  )

  it.effect("sends reasoning back with what the provider said of it, and the call with its id", () =>
    Effect.gen(function* () {
      const { calls, model } = fake(
        "one",
        { type: "reasoning-start", id: "r1", providerMetadata: { fake: { itemId: "rs_1" } } },
        { type: "reasoning-delta", id: "r1", delta: "I should " },
        { type: "reasoning-delta", id: "r1", delta: "look." },
        { type: "reasoning-end", id: "r1", providerMetadata: { fake: { signature: "signed" } } },
        { type: "reasoning-start", id: "r2" },
        { type: "reasoning-end", id: "r2", providerMetadata: { fake: { redacted: "cipher" } } },
        { type: "reasoning-start", id: "r3" },
        { type: "reasoning-delta", id: "r3", delta: "Never mind" },
        {
          type: "tool-call",
          toolCallId: "theirs",
          toolName: "look",
          input: '{"at":"it"}',
          providerMetadata: { fake: { itemId: "fc_1" } }
        },
        { type: "tool-call", toolCallId: "own", toolName: "search", input: "{}", providerExecuted: true },
        finish()
      )
      const events = Result.getOrThrow(yield* ask(model))
      const history = [entry({ role: "user", content: "hi" }), ...stored(events)]
      const answer = entry({ role: "tool", toolCallId: "call_ours", content: "seen" })
      yield* ask(model, [...history, answer])
      assert.deepStrictEqual<unknown>(calls.at(-1)?.prompt.slice(2), [
        {
          role: "assistant",
          content: [
            {
              type: "reasoning",
              text: "I should look.",
              providerOptions: { fake: { itemId: "rs_1", signature: "signed" } }
            },
            { type: "reasoning", text: "", providerOptions: { fake: { redacted: "cipher" } } },
            {
              type: "tool-call",
              toolCallId: "theirs",
              toolName: "look",
              input: { at: "it" },
              providerOptions: { fake: { itemId: "fc_1" } }
            }
          ]
        },
        {
          role: "tool",
          content: [
            { type: "tool-result", toolCallId: "theirs", toolName: "look", output: { type: "text", value: "seen" } }
          ]
        }
      ])
      const other = fake("two", finish())
      yield* ask(other.model, [...history, answer])
      assert.notInclude(JSON.stringify(other.calls), "signed")
      assert.notInclude(JSON.stringify(other.calls), "I should")
    })
  )

  it.effect("leaves images to a provider that fetches them, and says of others what is amiss", () =>
    Effect.gen(function* () {
      const { calls, model } = fake("one", finish())
      const images = ["https://seen.test/a.png", "https://127.0.0.1/b.png", "data:image/png;base64,AAAA"]
      yield* ask(model, [entry({ role: "user", content: images.map((url) => ({ type: "image", url }) as const) })])
      const content = calls[0]?.prompt[1]?.content
      assert.deepStrictEqual<unknown>(content, [
        { type: "file", mediaType: "image/*", data: { type: "url", url: new URL("https://seen.test/a.png") } },
        {
          type: "text",
          text: "(The image at https://127.0.0.1/b.png cannot be shown: 127.0.0.1 is not on the public internet, and may not be fetched.)"
        },
        { type: "file", mediaType: "image/png", data: { type: "data", data: "AAAA" } }
      ])
    })
  )

  it.effect("fails where the answer was cut off, though the package finishes it", () =>
    Effect.gen(function* () {
      const text: LanguageModelV4StreamPart = { type: "text-delta", id: "t", delta: "Half" }
      const cut = yield* ask(fake("one", text, finish({ unified: "other", raw: undefined })).model)
      assert.strictEqual(Result.isFailure(cut) ? cut.failure.reason : undefined, "bad_response")
      const none = yield* ask(fake("one", text).model)
      assert.strictEqual(Result.isFailure(none) ? none.failure.reason : undefined, "bad_response")
    })
  )

  it.effect("waits for nothing, and hears nothing, after the finish", () =>
    Effect.gen(function* () {
      const text: LanguageModelV4StreamPart = { type: "text-delta", id: "t", delta: "a" }
      const late = yield* ask(fake("one", text, finish(), { type: "error", error: "late" }).model)
      assert.isTrue(Result.isSuccess(late))
      const open = fake("one")
      const hanging: LanguageModelV4 = {
        ...open.model,
        doStream: () =>
          Promise.resolve({
            stream: new ReadableStream({
              start: (controller) => {
                controller.enqueue(text)
                controller.enqueue(finish())
              }
            })
          })
      }
      assert.isTrue(Result.isSuccess(yield* ask(hanging)))
    })
  )

  it.effect("passes over what no JSON holds", () =>
    Effect.gen(function* () {
      const circular: Record<string, never> = {}
      Object.assign(circular, { self: circular })
      const odd = { type: "reasoning-start", id: "r", providerMetadata: { fake: circular } } as const
      const end = { type: "reasoning-end", id: "r" } as const
      assert.isTrue(Result.isSuccess(yield* ask(fake("one", odd, end, finish()).model)))
    })
  )

  it.effect("aborts the request when nobody listens any more", () =>
    Effect.gen(function* () {
      let signal: AbortSignal | undefined
      const { model } = fake("one")
      const asked = yield* Deferred.make<void>()
      const hanging: LanguageModelV4 = {
        ...model,
        doStream: ({ abortSignal }) => {
          signal = abortSignal
          Deferred.doneUnsafe(asked, Effect.void)
          return new Promise(() => undefined)
        }
      }
      const fiber = yield* Effect.flatMap(ChatModel, (chat) => Stream.runDrain(chat.stream(request("m")))).pipe(
        Effect.provide(AiSdk.layer(() => hanging)),
        Effect.forkChild
      )
      yield* Deferred.await(asked)
      assert.strictEqual(signal?.aborted, false)
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(signal?.aborted, true)
    })
  )

  it.effect("tells a model that cannot be made", () =>
    Effect.gen(function* () {
      const none = AiSdk.layer(() => {
        throw new Error("no such model")
      })
      const result = yield* Effect.flatMap(ChatModel, (chat) => Stream.runDrain(chat.stream(request("m")))).pipe(
        Effect.flip,
        Effect.provide(none)
      )
      assert.strictEqual(result.message, "no such model")
    })
  )
})
