import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { type HistoryEntry, make as entry } from "../../src/history/HistoryEntry.ts"
import * as OpenAiRequest from "../../src/model/OpenAiRequest.ts"
import { HistoryMessage } from "../../src/protocol/Message.ts"
import type { ToolSpec } from "../../src/protocol/Tool.ts"
import { anyEntry, Text, ToolNames } from "../support/AnyHistory.ts"
import { flaw, Request } from "../support/openai/strict.ts"

const spec = (name: string): ToolSpec => ({ name, description: "", parameters: { type: "object" } })
const decode = Schema.decodeUnknownSync(Request)
const encode = (history: ReadonlyArray<HistoryEntry>, tools: ReadonlyArray<string> = [], system = "") =>
  decode(OpenAiRequest.encode({ model: "m", system, history, tools: tools.map(spec) }).body)

describe("OpenAiRequest", () => {
  it.prop(
    "a strict server takes whatever history there is",
    [Schema.Array(anyEntry("openai")), Schema.Array(ToolNames), Text],
    ([history, tools, system]) => {
      assert.strictEqual(flaw(encode(history, [...new Set(tools)], system)), undefined)
    },
    { arbitrary: { runs: 3000 } }
  )

  it.prop(
    "also for messages from the wire",
    [Schema.Array(HistoryMessage)],
    ([messages]) => {
      assert.strictEqual(flaw(encode(messages.map(entry))), undefined)
    },
    { arbitrary: { runs: 1000 } }
  )

  it("puts everything in its place", () => {
    const body = encode(
      [
        entry({ role: "user", content: "one" }),
        entry({
          role: "user",
          content: [
            { type: "text", text: "two" },
            { type: "image", url: "https://example.test/a.png" }
          ]
        }),
        {
          message: {
            role: "assistant",
            content: [
              { type: "thinking", thinking: "hm" },
              { type: "text", text: "Looking." },
              { type: "tool_use", toolCallId: "call_a", name: "look at", input: { at: "it" } },
              { type: "tool_use", toolCallId: "call_b", name: "hear", input: {} }
            ]
          },
          providerData: [
            { block: 2, provider: "openai", data: "their_id" },
            { block: 3, provider: "other", data: "not_ours" }
          ]
        },
        entry({ role: "tool", toolCallId: "call_b", content: "" }),
        entry({ role: "tool", toolCallId: "call_a", content: [{ type: "image", url: "data:image/png;base64,AA==" }] }),
        entry({ role: "system", content: "Rhyme." }),
        entry({ role: "user", content: "so?" })
      ],
      ["look at"],
      "Be brief."
    )
    assert.deepStrictEqual(body.messages, [
      { role: "system", content: "Be brief.\n\nRhyme." },
      {
        role: "user",
        content: [
          { type: "text", text: "one" },
          { type: "text", text: "two" },
          { type: "image_url", image_url: { url: "https://example.test/a.png" } }
        ]
      },
      {
        role: "assistant",
        content: "Looking.",
        tool_calls: [
          { id: "their_id", type: "function", function: { name: "look_at", arguments: '{"at":"it"}' } },
          { id: "call_b", type: "function", function: { name: "hear", arguments: "{}" } }
        ]
      },
      { role: "tool", tool_call_id: "their_id", content: "(see the images that follow)" },
      { role: "tool", tool_call_id: "call_b", content: "(no output)" },
      {
        role: "user",
        content: [
          { type: "text", text: "Images from look at:" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } },
          { type: "text", text: "so?" }
        ]
      }
    ])
    assert.deepStrictEqual(
      body.tools?.map((tool) => tool.function.name),
      ["look_at"]
    )
  })

  it("closes a call that has no result", () => {
    const call = { type: "tool_use", toolCallId: "call_a", name: "look", input: {} } as const
    const { messages } = encode([
      entry({ role: "assistant", content: [call] }),
      entry({ role: "user", content: "well?" })
    ])
    assert.deepStrictEqual(messages[1], { role: "tool", tool_call_id: "call_a", content: "Tool call not run." })
  })

  it("gives the model's names back as ours", () => {
    const { names } = OpenAiRequest.encode({
      model: "m",
      system: "",
      history: [],
      tools: ["a b", "a_b", "a.b", "東京"].map(spec)
    })
    const aliases = ["a b", "a_b", "a.b", "東京"].map(names.toAlias)
    assert.deepStrictEqual(aliases, ["a_b_2", "a_b", "a_b_3", "__"])
    assert.deepStrictEqual(aliases.map(names.toName), ["a b", "a_b", "a.b", "東京"])
  })
})
