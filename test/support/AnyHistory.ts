import { Schema } from "effect"
import { sign } from "./models/dialect.ts"

/** Names and ids from a small set, so that they clash. */
export const ToolNames = Schema.Literals(["a", "a b", "a_b", "é", "", " ", "x".repeat(70), `${"x".repeat(64)}`])
export const Text = Schema.Literals(["", " ", "hello", "\n"])
const Block = Schema.Union([
  Schema.Struct({ type: Schema.Literal("text"), text: Text }),
  Schema.Struct({ type: Schema.Literal("image"), url: Schema.Literal("https://example.test/a.png") })
])
const Content = Schema.Union([Text, Schema.Array(Block)])
const models = ["gemini-3", "deepseek-x"] as const

/** What each provider gives to be kept, of either model. */
const kept: Readonly<Record<string, (model: string) => ReadonlyArray<Schema.JsonObject>>> = {
  openai: (model) => [
    { model, reasoned: { reasoning_content: "hm" } },
    { model, id: "own", extra: { google: { thought_signature: "s" } } }
  ],
  "openai-responses": (model) => [
    { model, item: { type: "reasoning", id: "rs_1", summary: [], encrypted_content: sign("rs_1[]") } }
  ],
  anthropic: (model) => [
    { model, thought: { type: "thinking", thinking: "hm", signature: sign("hm") } },
    { model, thought: { type: "redacted_thinking", data: "cipher-x" } }
  ],
  gemini: (model) => [{ model, id: "own", thoughtSignature: "skip_thought_signature_validator" }],
  "ai-sdk": () => [{ model: "mock.chat/m", reasoning: "hm", options: { fake: { signature: "s" } } }],
  "effect-ai": (model) => [{ model, reasoning: "hm", options: { fake: { signature: "s" } } }]
}

/** The schema of this JSON alone. */
const exactly = (json: Schema.Json): Schema.Codec<Schema.Json> => {
  if (typeof json === "string") return Schema.Literal(json)
  if (typeof json !== "object" || json === null || Array.isArray(json)) return Schema.Tuple([])
  return Schema.Struct(Object.fromEntries(Object.entries(json).map(([key, value]) => [key, exactly(value)])))
}

const dataOf = (provider: string): Schema.Codec<Schema.Json> =>
  Schema.Union(models.flatMap((model) => (kept[provider]?.(model) ?? []).map(exactly)))

/**
 * An entry as no turn of ours would leave it: ids clash, texts are blank, results stand anywhere, and so does what this
 * provider gave to be kept.
 */
export const anyEntry = (provider: string) =>
  Schema.Struct({
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
          provider: Schema.Literals([provider, "x"]),
          data: Schema.Union([ToolNames, dataOf(provider)])
        })
      )
    )
  })
