import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import * as Anthropic from "../../src/model/Anthropic.ts"
import * as AnthropicChunk from "../../src/model/AnthropicChunk.ts"
import * as ChunkTemplate from "../../src/model/ChunkTemplate.ts"
import * as OpenAiChat from "../../src/model/OpenAiChat.ts"
import * as OpenAiChunk from "../../src/model/OpenAiChunk.ts"

type Shape = (text: string) => string

const head = '{"id":"c-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":'

/** Chunks of chat completions, as servers write them and as none should. */
const shapes: Readonly<Record<string, Shape>> = {
  plain: (text) => `${head}{"content":${JSON.stringify(text)}},"finish_reason":null}]}`,
  "with a role": (text) => `${head}{"role":"assistant","content":${JSON.stringify(text)}},"finish_reason":null}]}`,
  padded: (text) =>
    `${head}{"content":${JSON.stringify(text)}},"finish_reason":null}],"obfuscation":"${"x".repeat(9 - (text.length % 9))}"}`,
  "with other padding": (text) =>
    `${head}{"content":${JSON.stringify(text)}},"finish_reason":null}],"obfuscation":"\\n","x":null}`,
  spaced: (text) => `{"choices": [{"index": 0, "delta": {"content": ${JSON.stringify(text)} } } ]}`,
  last: (text) => `${head}{"content":${JSON.stringify(text)}},"finish_reason":"stop"}]}`,
  "of another choice": (text) => plainOf(text).replace('"index":0', '"index":1'),
  "said twice": (text) => `${head}{"content":${JSON.stringify(text)},"content":"other"},"finish_reason":null}]}`,
  "said twice, the same": (text) => `${head}{"content":"a","content":${JSON.stringify(text)}},"finish_reason":null}]}`,
  "of a model with the text's name": (text) =>
    `{"choices":[{"index":0,"delta":{"content":${JSON.stringify(text)}}}],"model":${JSON.stringify(text)}}`,
  "of a model whose name it always says": (text) =>
    `{"choices":[{"index":0,"delta":{"content":"Hello"}}],"model":${JSON.stringify(text)}}`,
  "with an error behind the padding": (text) =>
    `${head}{"content":${JSON.stringify(text)}},"finish_reason":null}],"obfuscation":"x","error":"no"}`,
  "with tokens": (text) =>
    `{"choices":[{"index":0,"delta":{"content":${JSON.stringify(text)}}}],"usage":{"prompt_tokens":1}}`,
  "not escaped": (text) => `${head}{"content":"${text}"},"finish_reason":null}]}`,
  "cut off": (text) => plainOf(text).slice(0, -2),
  "cut off in the text": (text) => `${head}{"content":"${text}`,
  "with more behind it": (text) => `${plainOf(text)}}`,
  thinking: (text) => `${head}{"reasoning_content":${JSON.stringify(text)}},"finish_reason":null}]}`
}
const plainOf = shapes["plain"] as Shape

/** What Anthropic sends, and what it does not. */
const blocks: Readonly<Record<string, Shape>> = {
  text: (text) =>
    `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":${JSON.stringify(text)}}}`,
  padded: (text) =>
    `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":${JSON.stringify(text)}}${" ".repeat(text.length % 9)}}`,
  "of another block": (text) =>
    `{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":${JSON.stringify(text)}}}`,
  thinking: (text) =>
    `{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":${JSON.stringify(text)}}}`,
  "with a signature": (text) =>
    `{"type":"content_block_delta","index":0,"delta":{"text":"x","signature":${JSON.stringify(text)}}}`,
  "of no type that is read": (text) => `{"type":"ping","delta":{"text":${JSON.stringify(text)}}}`,
  "not escaped": (text) => `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"${text}"}}`
}

/** Texts that are easily taken for something else. */
const texts = [
  "Hi",
  "",
  "m",
  "stop",
  "other",
  ":",
  ",",
  "}",
  "null",
  '"',
  "\\",
  'a","b":"c',
  "x\u007f",
  "\n",
  "é\u2028"
]

const outcome = <A>(decoded: Result.Result<A, { readonly message: string }>) =>
  Result.match(decoded, { onFailure: ({ message }) => ({ message }), onSuccess: (chunk) => ({ chunk }) })

const providers = {
  "chat completions": { decode: OpenAiChunk.decode, decoder: OpenAiChat.provider.decoder, shapes },
  "the Messages API": {
    decode: AnthropicChunk.decode,
    decoder: Anthropic.provider({ maxTokens: 1, thinkingBudget: 0 }).decoder,
    shapes: blocks
  }
}

describe("decoding an answer's chunks", () => {
  for (const [name, { decode, decoder, shapes }] of Object.entries(providers)) {
    const agrees = (chunks: ReadonlyArray<string>) => {
      const read = decoder()
      for (const json of chunks)
        assert.deepStrictEqual(outcome<unknown>(read(json)), outcome<unknown>(decode(json)), json)
    }

    it.effect.prop(
      `gives of ${name} what decoding each by itself gives`,
      [Schema.Array(Schema.Struct({ shape: Schema.Literals(Object.keys(shapes)), text: Schema.String }))],
      ([said]) => Effect.sync(() => agrees(said.map(({ shape, text }) => shapes[shape]?.(text) ?? "")))
    )

    it(`does so for ${name} whatever follows whatever`, () => {
      const all = Object.values(shapes).flatMap((shape) => texts.map(shape))
      for (const shape of Object.values(shapes)) {
        for (const text of texts) {
          for (const json of all) agrees([shape(text), shape("Hello"), json])
        }
      }
    })
  }

  /** How often `decode` is called for some chunks of chat completions. */
  const calls = (chunks: ReadonlyArray<string>): number => {
    let count = 0
    const decoder = ChunkTemplate.decoder<OpenAiChunk.Chunk | string>({
      decode: (json) => {
        count++
        return OpenAiChunk.decode(json)
      },
      textOf: (chunk) => (typeof chunk === "string" ? chunk : undefined),
      withText: (_, text) => text,
      unpad: OpenAiChunk.unpad
    })
    for (const chunk of chunks) decoder(chunk)
    return count
  }
  const words = Array.from({ length: 1000 }, (_, index) => `word ${index} `)

  it("parses what is the same once, and once more as a proof", () => {
    assert.strictEqual(calls(words.map(plainOf)), 2)
    assert.strictEqual(calls(words.map(shapes["padded"] as Shape)), 2)
  })

  it("makes a new template where the shape changes", () => {
    const withRole = shapes["with a role"] as Shape
    assert.strictEqual(calls([...words.map(withRole), ...words.map(plainOf)]), 4)
  })

  it("gives up where each chunk has a shape of its own", () => {
    const chunks = words.map((word, index) => plainOf(word).replace("c-1", `c-${index}`))
    assert.strictEqual(calls(chunks), chunks.length + 3)
  })
})
