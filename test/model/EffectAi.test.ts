import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer, Option, Result, Schema, Stream } from "effect"
import { AiError, LanguageModel, type Prompt, type Response } from "effect/ai"
import { type HistoryEntry, make as entry } from "../../src/history/HistoryEntry.ts"
import { ChatModel } from "../../src/model/ChatModel.ts"
import * as EffectAi from "../../src/model/EffectAi.ts"
import * as Step from "../../src/turn/Step.ts"
import { anyEntry, ToolNames } from "../support/AnyHistory.ts"
import { isBlank, isPlain, type Said } from "../support/models/dialect.ts"
import { scripts } from "../support/models/scripts.ts"
import { look, request, speaks } from "../support/models/speaks.ts"

type Part = Response.StreamPartEncoded

const fail = (reason: AiError.AiErrorReason) =>
  Stream.fail(AiError.make({ module: "Fake", method: "streamText", reason }))

const usage = {
  inputTokens: { total: 7, uncached: 5, cacheRead: 2, cacheWrite: 0 },
  outputTokens: { total: 3, text: 3, reasoning: 0 }
}
const finish = (reason: Response.FinishReason): Part => ({ type: "finish", reason, usage, response: undefined })

const saidParts = (said: Said, index: number): ReadonlyArray<Part> => {
  const id = String(index)
  if ("text" in said) return said.text.map((delta) => ({ type: "text-delta", id, delta }))
  if ("call" in said) {
    const [name, ...args] = said.call
    return [{ type: "tool-call", id, name, params: JSON.parse(args.join("") || "{}") }]
  }
  const thinking = "thinking" in said ? said.thinking : []
  return [
    { type: "reasoning-start", id },
    ...thinking.map((delta): Part => ({ type: "reasoning-delta", id, delta })),
    { type: "reasoning-end", id, metadata: { fake: { signature: `signed-${index}` } } }
  ]
}

/** A model that answers as it is told, and what it was asked. */
const fake = (answer: () => Stream.Stream<Part, AiError.AiError>) => {
  const asked: Array<LanguageModel.ProviderOptions> = []
  const layer = Layer.effect(
    LanguageModel.LanguageModel,
    LanguageModel.make({
      generateText: () => Effect.die("not streamed"),
      streamText: (options) => {
        asked.push(options)
        return answer()
      }
    })
  )
  return { asked, layer }
}

const reasons = { stop: "stop", length: "length", refusal: "content-filter" } as const

/** The scripts of the mock servers, as a provider of `effect/ai` plays them. */
const play = (name: string): Stream.Stream<Part, AiError.AiError> => {
  if (name === "limited") return fail(new AiError.RateLimitError({ retryAfter: Duration.seconds(7) }))
  const script = scripts.find((script) => script.name === name)
  if (script === undefined) return fail(new AiError.InvalidRequestError({ description: `no model ${name}` }))
  const begun = Stream.fromIterable(script.says.flatMap(saidParts))
  const { ends } = script
  switch (ends) {
    case "overloaded":
      return Stream.concat(begun, fail(new AiError.InternalProviderError({ description: "Overloaded" })))
    case "context":
      return Stream.concat(begun, fail(new AiError.InvalidRequestError({ description: "maximum context length is 8" })))
    case "cut":
      return Stream.concat(
        begun,
        fail(new AiError.NetworkError({ reason: "TransportError", method: "POST", url: "http://127.0.0.1" }))
      )
    case "hang":
      return Stream.concat(begun, Stream.never)
    case "early":
      return begun
    default:
      return Stream.concat(begun, Stream.succeed(finish(reasons[ends])))
  }
}

/** One model a request, by the request's name, as a test alone needs it. */
const scripted = Layer.succeed(ChatModel, {
  provider: "effect-ai",
  stream: (request) =>
    Stream.unwrap(
      Effect.map(
        Layer.build(EffectAi.layer(fake(() => play(request.model)).layer, { idleTimeout: "300 millis" })),
        (context) =>
          Stream.unwrap(
            Effect.provide(
              Effect.map(ChatModel, (chat) => chat.stream(request)),
              context
            )
          )
      )
    )
})

const ask = (layer: Layer.Layer<LanguageModel.LanguageModel>, history: ReadonlyArray<HistoryEntry>, model = "m") =>
  Effect.flatMap(ChatModel, (chat) => Stream.runCollect(chat.stream({ ...request(model), history }))).pipe(
    Effect.result,
    Effect.provide(EffectAi.layer(layer))
  )

/** What a strict provider refuses in a prompt. */
const flaw = ({ prompt, tools }: LanguageModel.ProviderOptions): string | undefined => {
  if (tools.some(({ name }) => !isPlain(name))) return "a tool's name is not plain"
  const messages = prompt.content
  for (const [index, message] of messages.entries()) {
    if (message.role === messages[index - 1]?.role)
      return `messages ${index - 1} and ${index} are both ${message.role}'s`
    if (message.role === "system") {
      if (index > 0 || isBlank(message.content)) return "system text is late, or blank"
      continue
    }
    if (message.content.length === 0) return `message ${index} is empty`
    if (message.content.some((part) => part.type === "text" && isBlank(part.text))) return `message ${index} is blank`
    const ids = (message: Prompt.Message | undefined, type: "tool-call" | "tool-result") =>
      message === undefined || typeof message.content === "string"
        ? []
        : message.content.flatMap((part) => (part.type === type && "id" in part ? [part.id] : []))
    const calls = ids(message, "tool-call")
    if (JSON.stringify(calls) !== JSON.stringify(ids(messages[index + 1], "tool-result"))) return "calls do not pair"
  }
  return undefined
}

describe("EffectAi", () => {
  speaks("a language model", scripted)

  it.effect.prop(
    "asks in a way that a strict provider takes, whatever history there is",
    [Schema.Array(anyEntry("effect-ai")), Schema.Array(ToolNames)],
    ([history, tools]) =>
      Effect.gen(function* () {
        const { asked, layer } = fake(() => Stream.succeed(finish("stop")))
        const specs = [...new Set(tools)].map((name) => ({ ...look, name }))
        yield* Effect.flatMap(ChatModel, (chat) =>
          Stream.runDrain(chat.stream({ model: "deepseek-x", system: " ", history, tools: specs }))
        ).pipe(Effect.provide(EffectAi.layer(layer)))
        const [options] = asked
        assert.strictEqual(options === undefined ? "nothing was asked" : flaw(options), undefined)
      }),
    { arbitrary: { runs: 300 } }
  )

  it.effect(
    "declares tools by their JSON Schema, and leaves calls alone that it does not know or that do not fit",
    () =>
      Effect.gen(function* () {
        const { asked, layer } = fake(() =>
          Stream.fromIterable<Part>([
            { type: "tool-call", id: "1", name: "nobody", params: { any: "thing" } },
            { type: "tool-call", id: "2", name: "look", params: "not JSON" },
            finish("tool-calls")
          ])
        )
        const events = Result.getOrThrow(yield* ask(layer, [entry({ role: "user", content: "hi" })]))
        assert.deepStrictEqual(
          events.flatMap((event) => (event.type === "tool_call" ? [[event.name, event.arguments]] : [])),
          [
            ["nobody", '{"any":"thing"}'],
            ["look", "not JSON"]
          ]
        )
        assert.deepStrictEqual(
          asked[0]?.tools.map(({ name }) => name),
          ["look", "hear_it"]
        )
      })
  )

  it.effect("sends reasoning back with what the provider said of it, to the same model", () =>
    Effect.gen(function* () {
      const script = scripts.find(({ name }) => name === "thoughtful-call")
      const says = Stream.fromIterable([...(script?.says ?? []).flatMap(saidParts), finish("tool-calls")])
      const { asked, layer } = fake(() => says)
      const user = entry({ role: "user", content: "hi" })
      const events = Result.getOrThrow(yield* ask(layer, [user]))
      let step = Step.initial
      const toolbox = { specs: [look], answerers: new Map([["look", "client" as const]]) }
      for (const event of events) step = Step.apply(step, event, toolbox, "call_ours")[0]
      const stored = Option.toArray(Option.fromUndefinedOr(Step.toEntry(step, "effect-ai")))
      const history = [user, ...stored, entry({ role: "tool", toolCallId: "call_ours", content: "seen" })]
      yield* ask(layer, history)
      const [, , spoken, results] = asked.at(-1)?.prompt.content ?? []
      assert.deepStrictEqual<unknown>(
        (spoken?.role === "assistant" ? spoken.content : []).map((part) =>
          part.type === "reasoning"
            ? [part.text, part.options]
            : part.type === "tool-call"
              ? [part.id, part.params]
              : part
        ),
        [
          ["I should look. 東京 🎈", { fake: { signature: "signed-0" } }],
          ["", { fake: { signature: "signed-1" } }],
          ["2", { at: "it" }]
        ]
      )
      assert.deepInclude(results?.role === "tool" ? results.content[0] : undefined, { id: "2", result: "seen" })
      yield* ask(layer, history, "other")
      assert.notInclude(JSON.stringify(asked.at(-1)?.prompt), "signed")
    })
  )
})
