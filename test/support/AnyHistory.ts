import { Schema } from "effect"

/** Names and ids from a small set, so that they clash. */
export const ToolNames = Schema.Literals(["a", "a b", "a_b", "é", "", " ", "x".repeat(70), `${"x".repeat(64)}`])
export const Text = Schema.Literals(["", " ", "hello", "\n"])
const Block = Schema.Union([
  Schema.Struct({ type: Schema.Literal("text"), text: Text }),
  Schema.Struct({ type: Schema.Literal("image"), url: Schema.Literal("https://example.test/a.png") })
])
const Content = Schema.Union([Text, Schema.Array(Block)])
/** What a compatible server's model reasoned. */
const Reasoned = Schema.Struct({
  model: Schema.Literals(["deepseek-x", "other"]),
  reasoned: Schema.Struct({ reasoning_content: Schema.String })
})
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
        provider: Schema.Literals(["openai", "x"]),
        data: Schema.Union([ToolNames, Reasoned])
      })
    )
  )
})
