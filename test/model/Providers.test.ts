import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result, Schema } from "effect"
import * as AnswerReader from "../../src/model/AnswerReader.ts"
import * as Anthropic from "../../src/model/Anthropic.ts"
import type { ModelEvent } from "../../src/model/ChatModel.ts"
import * as Gemini from "../../src/model/Gemini.ts"
import * as OpenAiChat from "../../src/model/OpenAiChat.ts"
import * as OpenAiResponses from "../../src/model/OpenAiResponses.ts"
import { AnyEntry, ToolNames } from "../support/AnyHistory.ts"
import type { Dialect } from "../support/models/dialect.ts"
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
      [Schema.Array(AnyEntry), Schema.Array(ToolNames), Schema.Literals(["gemini-3", "deepseek-x"])],
      ([history, tools, model]) => {
        const specs = [...new Set(tools)].map((name) => ({ ...look, name }))
        const body = dialect.encode({ model, system: " ", history, tools: specs })
        assert.strictEqual(dialect.flaw(JSON.parse(JSON.stringify(body)), model), undefined)
      },
      { arbitrary: { runs: 1500 } }
    )
  }
})

describe("every provider, cut at every byte,", () => {
  const read = <State, Chunk>(
    provider: Parameters<typeof AnswerReader.make<State, Chunk>>[0],
    bytes: Uint8Array,
    cut: number
  ) => {
    const reader = AnswerReader.make(provider, provider.encode(request("gemini-3")).state, false)
    const events: Array<ModelEvent> = []
    let over = false
    for (const step of [
      () => reader.read([bytes.subarray(0, cut)]),
      () => reader.read([bytes.subarray(cut)]),
      reader.end
    ]) {
      if (over) break
      const heard = Result.getOrThrow(step())
      events.push(...heard.events)
      over = heard.over
    }
    return events
  }
  const readers: Record<string, (bytes: Uint8Array, cut: number) => ReadonlyArray<ModelEvent>> = {
    openai: (bytes, cut) => read(OpenAiChat.provider, bytes, cut),
    "openai-responses": (bytes, cut) => read(OpenAiResponses.provider(), bytes, cut),
    anthropic: (bytes, cut) => read(Anthropic.provider({ maxTokens: 1, thinkingBudget: 0 }), bytes, cut),
    gemini: (bytes, cut) => read(Gemini.provider(false), bytes, cut)
  }
  for (const dialect of dialects) {
    it(`hears the same: ${dialect.name}`, () => {
      const script = scripts.find(({ name }) => name === "thoughtful-call")
      const bytes = Buffer.from((script === undefined ? [] : dialect.frames(script)).join(""))
      const whole = readers[dialect.name]?.(bytes, 0)
      assert.isAbove(whole?.length ?? 0, 3)
      for (let cut = 1; cut <= bytes.length; cut++) assert.deepStrictEqual(readers[dialect.name]?.(bytes, cut), whole)
    })
  }
})
