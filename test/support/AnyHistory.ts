import { Schema, SchemaTransformation } from "effect"
import { sign } from "./models/dialect.ts"

/** Names and ids from a small set, so that they clash. */
export const ToolNames = Schema.Literals(["a", "a b", "a_b", "é", "", " ", "x".repeat(70), `${"x".repeat(64)}`])
export const Text = Schema.Literals(["", " ", "hello", "\n"])
const Block = Schema.Union([
  Schema.Struct({ type: Schema.Literal("text"), text: Text }),
  Schema.Struct({ type: Schema.Literal("image"), url: Schema.Literal("https://example.test/a.png") })
])
const Content = Schema.Union([Text, Schema.Array(Block)])
const models = ["gemini-3", "deepseek-x", "m"] as const

/** What providers gave to be kept, whosever it is and wherever it stands. */
const OfProvider = Schema.Literals(
  models.flatMap((model) => [
    JSON.stringify({ model, reasoned: { reasoning_content: "hm" } }),
    JSON.stringify({ model, id: "own", extra: { google: { thought_signature: "s" } } }),
    JSON.stringify({ model, thought: { type: "thinking", thinking: "hm", signature: sign("hm") } }),
    JSON.stringify({ model, thought: { type: "redacted_thinking", data: "cipher-x" } }),
    JSON.stringify({
      model,
      item: { type: "reasoning", id: "rs_1", summary: [], encrypted_content: sign("rs_1[]") }
    }),
    JSON.stringify({ model, id: "own", thoughtSignature: sign("hm") }),
    JSON.stringify({ model, reasoning: "hm", options: { fake: { signature: "s" } } })
  ])
).pipe(
  Schema.decodeTo(
    Schema.Json,
    SchemaTransformation.transform({
      decode: (text: string): Schema.Json => JSON.parse(text),
      encode: (data: Schema.Json) => JSON.stringify(data)
    })
  )
)

/** An entry as no turn of ours would leave it: ids clash, texts are blank, results stand anywhere. */
export const AnyEntry = Schema.Struct({
  message: Schema.Union([
    Schema.Struct({ role: Schema.Literal("system"), content: Text }),
    Schema.Struct({ role: Schema.Literal("user"), content: Content }),
    Schema.Struct({
      role: Schema.Literal("assistant"),
      content: Schema.Union([
        Text,
        Schema.Array(
          Schema.Union([
            Block,
            Schema.Struct({ type: Schema.Literal("thinking"), thinking: Text }),
            Schema.Struct({
              type: Schema.Literal("tool_use"),
              toolCallId: ToolNames,
              name: ToolNames,
              input: Schema.JsonObject
            })
          ])
        )
      ])
    }),
    Schema.Struct({ role: Schema.Literal("tool"), toolCallId: ToolNames, content: Content })
  ]),
  providerData: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        block: Schema.Literals([0, 1, 2]),
        provider: Schema.Literals(["openai", "openai-responses", "anthropic", "gemini", "ai-sdk", "effect-ai", "x"]),
        data: Schema.Union([ToolNames, OfProvider])
      })
    )
  )
})
