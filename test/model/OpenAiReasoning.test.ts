import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { type HistoryEntry, make as entry } from "../../src/history/HistoryEntry.ts"
import type { ModelEvent } from "../../src/model/ChatModel.ts"
import * as OpenAiChat from "../../src/model/OpenAiChat.ts"
import * as OpenAiRequest from "../../src/model/OpenAiRequest.ts"
import type { HistoryMessage } from "../../src/protocol/Message.ts"
import { Request } from "../support/openai/strict.ts"

const user: HistoryMessage = { role: "user", content: "go" }
const request = (model: string, history: ReadonlyArray<HistoryEntry>) => ({ model, system: "", history, tools: [] })
const decode = Schema.decodeUnknownSync(Request)
const assistants = (model: string, history: ReadonlyArray<HistoryEntry>) =>
  decode(OpenAiRequest.encode(request(model, history)).body).messages.filter(({ role }) => role === "assistant")

/** What is heard of an answer whose messages are these. */
const hear = (...deltas: ReadonlyArray<object>): ReadonlyArray<ModelEvent> => {
  let state = OpenAiChat.provider.encode(request("m", [])).state
  const events: Array<ModelEvent> = []
  const decodeChunk = OpenAiChat.provider.decoder()
  for (const [index, delta] of deltas.entries()) {
    const finish_reason = index === deltas.length - 1 ? "stop" : null
    const chunk = decodeChunk(JSON.stringify({ choices: [{ delta, finish_reason }] }))
    const [next, said] = Result.getOrThrow(OpenAiChat.provider.step(state, Result.getOrThrow(chunk)))
    state = next
    events.push(...said)
  }
  return [...events, ...Result.getOrThrow(OpenAiChat.provider.end(state, true))]
}
const kept = (events: ReadonlyArray<ModelEvent>) =>
  events.flatMap((event) => (event.type === "provider_data" ? [event.data] : []))
const call = { tool_calls: [{ index: 0, id: "c", function: { name: "look", arguments: "{}" } }] }

/** A thoughtful call, its result, and what came after. */
const thoughtful = (model: string): ReadonlyArray<HistoryEntry> => [
  entry(user),
  {
    message: {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "hm" },
        { type: "tool_use", toolCallId: "call_1", name: "look", input: {} }
      ]
    },
    providerData: [{ block: 0, provider: "openai", data: { model, reasoned: { reasoning_content: "hm" } } }]
  },
  entry({ role: "tool", toolCallId: "call_1", content: "seen" })
]

const aside = (model: string): ReadonlyArray<HistoryEntry> => [
  entry(user),
  {
    message: {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "oh" },
        { type: "text", text: "Hello." }
      ]
    },
    providerData: [{ block: 0, provider: "openai", data: { model, reasoned: { reasoning_content: "oh" } } }]
  },
  entry(user)
]

describe("OpenAiReasoning", () => {
  it.each([
    {
      name: "reasoning_content",
      deltas: [{ reasoning_content: "a" }, { reasoning_content: "b" }],
      kept: { reasoning_content: "ab" }
    },
    { name: "reasoning", deltas: [{ reasoning: "a" }, { reasoning: "b", content: "" }], kept: { reasoning: "ab" } },
    {
      name: "reasoning_content where both come",
      deltas: [{ reasoning_content: "a", reasoning: "a" }],
      kept: { reasoning_content: "a" }
    },
    {
      name: "reasoning_details where they come",
      deltas: [
        { reasoning: "a", reasoning_details: [{ type: "reasoning.text", text: "a", index: 0 }] },
        { reasoning_details: [{ type: "reasoning.encrypted", data: "x", index: 1 }] }
      ],
      kept: {
        reasoning_details: [
          { type: "reasoning.text", text: "a", index: 0 },
          { type: "reasoning.encrypted", data: "x", index: 1 }
        ]
      }
    }
  ])("keeps $name", ({ deltas, kept: reasoned }) => {
    assert.deepStrictEqual(kept(hear(...deltas, call, {})), [{ model: "m", reasoned }])
  })

  it("keeps it before what it led to", () => {
    const types = hear({ reasoning_content: "a" }, { content: "b" }, { reasoning_content: "c" }, call, {}).map(
      ({ type }) => type
    )
    assert.deepStrictEqual(types, [
      "thinking_delta",
      "provider_data",
      "text_delta",
      "thinking_delta",
      "provider_data",
      "tool_call",
      "finish"
    ])
  })

  it("keeps nothing of a model that does not reason", () => {
    assert.deepStrictEqual(kept(hear({ content: "a" }, call, {})), [])
  })

  it("is told again with its calls, whatever came after", () => {
    const [message] = assistants("m", [...thoughtful("m"), entry({ role: "assistant", content: "so" }), entry(user)])
    assert.deepInclude(message, { content: null, reasoning_content: "hm" })
  })

  it("is not told to another model", () => {
    assert.notProperty(assistants("other", thoughtful("m"))[0], "reasoning_content")
  })

  it("is not told again where no tool was called", () => {
    const [first, second] = assistants("m", [...aside("m"), ...thoughtful("m").slice(1)])
    assert.notProperty(first, "reasoning_content")
    assert.deepInclude(second, { reasoning_content: "hm" })
  })

  it("is empty where DeepSeek did not make the call itself", () => {
    assert.deepInclude(assistants("deepseek-chat", thoughtful("other"))[0], { reasoning_content: "" })
  })

  it("goes back beside what Gemini's compatible endpoint added to the call", () => {
    const [event] = hear({
      tool_calls: [{ ...call.tool_calls[0], extra_content: { google: { thought_signature: "s" } } }]
    })
    assert.deepInclude(event, { data: { id: "c", model: "m", extra: { google: { thought_signature: "s" } } } })
    const back = (model: string) =>
      JSON.stringify(
        OpenAiRequest.encode(
          request(model, [
            entry(user),
            {
              message: {
                role: "assistant",
                content: [{ type: "tool_use", toolCallId: "call_1", name: "look", input: {} }]
              },
              providerData:
                event?.type === "tool_call" ? [{ block: 0, provider: "openai", data: event.data ?? null }] : []
            }
          ])
        ).body
      )
    assert.include(back("m"), '"id":"c"')
    assert.include(back("m"), '"extra_content":{"google":{"thought_signature":"s"}}')
    assert.notInclude(back("n"), "extra_content")
    assert.include(back("gemini-3-flash"), '"thought_signature":"skip_thought_signature_validator"')
  })
})
