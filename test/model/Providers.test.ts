import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result, Schema } from "effect"
import * as AnswerReader from "../../src/model/AnswerReader.ts"
import * as Anthropic from "../../src/model/Anthropic.ts"
import type { ModelEvent } from "../../src/model/ChatModel.ts"
import * as Gemini from "../../src/model/Gemini.ts"
import * as OpenAiChat from "../../src/model/OpenAiChat.ts"
import * as OpenAiResponses from "../../src/model/OpenAiResponses.ts"
import { anyEntry, ToolNames } from "../support/AnyHistory.ts"
import { type Dialect, frame } from "../support/models/dialect.ts"
import { MockModel } from "../support/models/MockModel.ts"
import { dialects, scripts } from "../support/models/scripts.ts"
import { look, request, speaks } from "../support/models/speaks.ts"

const mock = (dialect: Dialect) =>
  Layer.unwrap(Effect.map(MockModel, ({ baseUrl }) => dialect.layer(baseUrl))).pipe(
    Layer.provideMerge(Layer.merge(MockModel.layer(dialect.name), NodeHttpClient.layerNodeHttp))
  )

describe("every provider", () => {
  for (const dialect of dialects) {
    speaks(dialect.name, mock(dialect))

    it.prop(
      `${dialect.name} takes whatever history there is`,
      [Schema.Array(anyEntry(dialect.name)), Schema.Array(ToolNames), Schema.Literals(["gemini-3", "deepseek-x"])],
      ([history, tools, model]) => {
        const specs = [...new Set(tools)].map((name) => ({ ...look, name }))
        const body = dialect.encode({ model, system: " ", history, tools: specs })
        assert.strictEqual(dialect.flaw(JSON.parse(JSON.stringify(body)), model), undefined)
      },
      { arbitrary: { runs: 1500 } }
    )
  }
})

/** What is heard of an answer that comes in pieces, and whether it failed. */
const read = <State, Chunk>(
  provider: Parameters<typeof AnswerReader.make<State, Chunk>>[0],
  pieces: ReadonlyArray<Uint8Array>
) => {
  const reader = AnswerReader.make(provider, provider.encode(request("gemini-3")).state, false)
  const events: Array<ModelEvent> = []
  for (const step of [...pieces.map((piece) => () => reader.read([piece])), reader.end, reader.end]) {
    const heard = step()
    if (Result.isFailure(heard)) return { events, failed: true }
    events.push(...heard.success.events)
    if (heard.success.over) break
  }
  return { events, failed: false }
}

const readers: Record<string, (pieces: ReadonlyArray<Uint8Array>) => ReturnType<typeof read>> = {
  openai: (pieces) => read(OpenAiChat.provider, pieces),
  "openai-responses": (pieces) => read(OpenAiResponses.provider(), pieces),
  anthropic: (pieces) => read(Anthropic.provider({ maxTokens: 1, thinkingBudget: 0 }), pieces),
  gemini: (pieces) => read(Gemini.provider(false), pieces)
}

const script = scripts.find(({ name }) => name === "thoughtful-call")

/** How servers and proxies frame the same events. */
const framings: Record<string, (frames: ReadonlyArray<string>) => ReadonlyArray<string>> = {
  "comments and fields of no use between events": (frames) =>
    frames.flatMap((frame) => [": hi\n\nid: 7\nretry: 10\n\n", frame]),
  "comments inside events": (frames) => frames.map((frame) => `: hi\n${frame}`),
  CRLF: (frames) => frames.map((frame) => frame.replaceAll("\n", "\r\n")),
  CR: (frames) => frames.map((frame) => frame.replaceAll("\n", "\r")),
  "mixed line ends": (frames) =>
    frames.map((frame, index) => (index % 2 === 0 ? frame.replaceAll("\n", "\r\n") : frame)),
  "no space behind the colon": (frames) => frames.map((frame) => frame.replaceAll("data: ", "data:")),
  "data in several lines": (frames) => frames.map((frame) => frame.replace(/^(data: \{)(.*)$/m, "$1\ndata: $2")),
  "a byte order mark": (frames) => ["\uFEFF", ...frames],
  "a last event without its blank line": (frames) => [...frames.slice(0, -1), (frames.at(-1) ?? "").trimEnd()],
  "events of kinds to come": (frames) => frames.flatMap((next) => [frame({ type: "novelty", x: 1 }, "novelty"), next])
}

describe("every provider's answers", () => {
  for (const dialect of dialects) {
    const frames = script === undefined ? [] : dialect.frames(script)
    const hear = (pieces: ReadonlyArray<string | Uint8Array>) =>
      readers[dialect.name]?.(pieces.map((piece) => Buffer.from(piece)))
    const whole = hear(frames)
    const data = (events: ReadonlyArray<ModelEvent> = []) => events.filter(({ type }) => type === "provider_data")

    it(`are heard the same, cut at every byte: ${dialect.name}`, () => {
      const bytes = Buffer.from(frames.join(""))
      assert.isAbove(whole?.events.length ?? 0, 3)
      assert.strictEqual(whole?.failed, false)
      for (let cut = 0; cut <= bytes.length; cut++) {
        assert.deepStrictEqual(hear([bytes.subarray(0, cut), bytes.subarray(cut)]), whole)
      }
    })

    it(`leave nothing of what never finished to be sent back: ${dialect.name}`, () => {
      const bytes = Buffer.from(frames.join(""))
      for (let cut = 0; cut < bytes.length; cut++) {
        const kept = data(hear([bytes.subarray(0, cut)])?.events)
        assert.deepStrictEqual(kept, data(whole?.events).slice(0, kept.length))
      }
    })

    for (const [name, framing] of Object.entries(framings)) {
      it(`are heard the same with ${name}: ${dialect.name}`, () => {
        assert.deepStrictEqual(hear(framing(frames)), whole)
        assert.deepStrictEqual(hear([framing(frames).join("")]), whole)
      })
    }
  }
})
