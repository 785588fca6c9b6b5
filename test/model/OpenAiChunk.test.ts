import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import * as OpenAiChat from "../../src/model/OpenAiChat.ts"
import * as OpenAiChunk from "../../src/model/OpenAiChunk.ts"

const { encode, step } = OpenAiChat.provider
const fresh = encode({ model: "m", system: "", history: [], tools: [] }).state
const wellFormed = Schema.decodeUnknownSync(OpenAiChunk.Chunk)
const heard = (json: string) => Result.getOrThrow(OpenAiChunk.decode(json))

/** A chunk as OpenAI sends them, with what is said in it. */
const chunkOf = (content: unknown, more: object = {}, ofChoice: object = {}, ofDelta: object = {}) => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1,
  model: "m",
  system_fingerprint: null,
  choices: [{ index: 0, delta: { content, ...ofDelta }, logprobs: null, finish_reason: null, ...ofChoice }],
  usage: null,
  ...more
})

const states = [
  fresh,
  { ...fresh, spoke: true },
  { ...fresh, reasoned: { reasoning: "so" } },
  { ...fresh, reason: "stop" as const }
]

describe("a chunk that is a piece of text and nothing else", () => {
  it("is known as one", () => {
    assert.strictEqual(heard(JSON.stringify(chunkOf("Hi"))), "Hi")
    assert.strictEqual(heard(JSON.stringify(chunkOf("Hi", {}, {}, { role: "assistant", refusal: null }))), "Hi")
  })

  it.effect.prop("means what it means by the Schema, wherever the answer stands", [Schema.String], ([text]) =>
    Effect.sync(() => {
      const chunk = chunkOf(text)
      const plain = heard(JSON.stringify(chunk))
      assert.strictEqual(plain, text)
      for (const state of states) assert.deepStrictEqual(step(state, plain), step(state, wellFormed(chunk)))
    })
  )

  const others = {
    "an end": chunkOf("x", {}, { finish_reason: "stop" }),
    tokens: chunkOf("x", { usage: { prompt_tokens: 1 } }),
    "an error": chunkOf("x", { error: { message: "no" } }),
    "another choice": chunkOf("x", {}, { index: 1 }),
    "two choices": chunkOf("x", {
      choices: [
        { index: 0, delta: { content: "x" } },
        { index: 1, delta: {} }
      ]
    }),
    reasoning: chunkOf("x", {}, {}, { reasoning_content: "hm" }),
    "a refusal": chunkOf("x", {}, {}, { refusal: "no" }),
    "a call": chunkOf("x", {}, {}, { tool_calls: [{ index: 0, function: { name: "f", arguments: "" } }] }),
    "no text": chunkOf(null),
    parts: chunkOf([{ type: "text", text: "x" }])
  }
  for (const [name, chunk] of Object.entries(others)) {
    it(`is not one with ${name}`, () => {
      assert.deepStrictEqual(heard(JSON.stringify(chunk)), wellFormed(chunk))
    })
  }
})
