import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Anthropic from "../../src/model/Anthropic.ts"
import * as AnswerReader from "../../src/model/AnswerReader.ts"
import { frame } from "../support/models/dialect.ts"
import { request } from "../support/models/speaks.ts"

const provider = Anthropic.provider({ maxTokens: 1, thinkingBudget: 0 })
const hear = (...events: ReadonlyArray<object>) => {
  const reader = AnswerReader.make(provider, provider.encode(request("m")).state, false)
  const frames = events.map((event) => frame(event)).join("")
  return Result.getOrThrow(reader.read([Buffer.from(frames)])).events
}
const call = (index: number, name: string) => ({
  type: "content_block_start",
  index,
  content_block: { type: "tool_use", id: `toolu_${index}`, name, input: {} }
})
const input = (partial_json: string) => ({
  type: "content_block_delta",
  delta: { type: "input_json_delta", partial_json }
})
const stop = [{ type: "message_delta", delta: { stop_reason: "tool_use" } }, { type: "message_stop" }]

describe("Anthropic", () => {
  it("hears calls whose blocks are never stopped", () => {
    const events = hear(call(0, "look"), input('{"a":1}'), call(1, "hear"), input('{"b":2}'), ...stop)
    assert.deepStrictEqual(
      events.map((event) => (event.type === "tool_call" ? [event.name, event.arguments] : event.type)),
      [["look", '{"a":1}'], ["hear", '{"b":2}'], "finish"]
    )
  })

  it("passes over events that it does not know, whatever they look like", () => {
    const events = hear({ type: "ping" }, { type: "novelty", delta: "text" }, ...stop)
    assert.deepStrictEqual(
      events.map(({ type }) => type),
      ["finish"]
    )
  })
})
