import { Redacted, Schema } from "effect"
import * as Anthropic from "../../../src/model/Anthropic.ts"
import { type Dialect, frame, isBlank, isPlain, type Json, type Said, sign } from "./dialect.ts"

const Block = Schema.Struct({
  type: Schema.String,
  text: Schema.optionalKey(Schema.String),
  thinking: Schema.optionalKey(Schema.String),
  signature: Schema.optionalKey(Schema.String),
  data: Schema.optionalKey(Schema.String),
  id: Schema.optionalKey(Schema.String),
  name: Schema.optionalKey(Schema.String),
  input: Schema.optionalKey(Schema.JsonObject),
  tool_use_id: Schema.optionalKey(Schema.String),
  content: Schema.optionalKey(Schema.Array(Schema.JsonObject)),
  source: Schema.optionalKey(Schema.JsonObject),
  cache_control: Schema.optionalKey(Schema.Struct({ type: Schema.Literal("ephemeral") }))
})
type Block = typeof Block.Type

const Request = Schema.Struct({
  model: Schema.String,
  stream: Schema.Literal(true),
  max_tokens: Schema.Int.check(Schema.isGreaterThan(0)),
  system: Schema.optionalKey(Schema.Array(Block)),
  messages: Schema.Array(Schema.Struct({ role: Schema.Literals(["user", "assistant"]), content: Schema.Array(Block) })),
  tools: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Schema.String, input_schema: Schema.JsonObject }))),
  thinking: Schema.optionalKey(Schema.Struct({ type: Schema.Literal("enabled"), budget_tokens: Schema.Int }))
})
const decode = Schema.decodeUnknownSync(Request)

const blockFlaw = (block: Block): string | undefined => {
  if (block.type === "text" && isBlank(block.text)) return "a text block is blank"
  if (block.type === "thinking" && block.signature !== sign(block.thinking ?? ""))
    return "thinking is not as it was signed"
  if (block.type === "redacted_thinking" && block.data?.startsWith("cipher-") !== true) return "a cipher was changed"
  if (block.type === "tool_use" && (!isPlain(block.name) || !isPlain(block.id)))
    return "a call's name or id is not plain"
  if (
    block.type === "tool_result" &&
    (block.content ?? []).some((part) => part["type"] === "text" && isBlank(part["text"]))
  ) {
    return "a result is blank"
  }
  return undefined
}

const flaw = (body: Json): string | undefined => {
  const { max_tokens, messages, thinking, tools = [] } = decode(body)
  if (messages[0] !== undefined && messages[0].role !== "user") return "the first message is not the user's"
  if (tools.some(({ input_schema, name }) => !isPlain(name) || input_schema["type"] !== "object"))
    return "a tool is not plain"
  if (thinking !== undefined && thinking.budget_tokens >= max_tokens) return "max_tokens leaves no room for thinking"
  const marks = JSON.stringify(body).split('"cache_control"').length - 1
  if (marks > 4) return "more than four cache marks"
  const ids = new Set<string>()
  for (const [index, { content, role }] of messages.entries()) {
    if (content.length === 0) return `message ${index} is empty`
    if (messages[index - 1]?.role === role) return `messages ${index - 1} and ${index} are of one role`
    for (const block of content) {
      const wrong = blockFlaw(block)
      if (wrong !== undefined) return `message ${index}: ${wrong}`
      if (block.type === "tool_use" && ids.has(block.id ?? "")) return `the id ${block.id} is used twice`
      if (block.type === "tool_use") ids.add(block.id ?? "")
    }
    const calls = role === "assistant" ? content.flatMap(({ id, type }) => (type === "tool_use" ? [id] : [])) : []
    const next = messages[index + 1]?.content ?? []
    const results = next.slice(0, calls.length).map(({ tool_use_id }) => tool_use_id)
    if (calls.length > 0 && JSON.stringify(results) !== JSON.stringify(calls))
      return `message ${index}: calls without results`
    const before = messages[index - 1]?.content.filter(({ type }) => type === "tool_use").length ?? 0
    if (content.filter(({ type }) => type === "tool_result").length !== (role === "user" ? before : 0))
      return `message ${index}: results without calls`
    const isLoop =
      calls.length > 0 &&
      messages
        .slice(index + 1)
        .every(
          ({ content }) =>
            content.every(({ type }) => type !== "text") || content.some(({ type }) => type === "tool_result")
        )
    const first = content[0]?.type
    if (
      thinking !== undefined &&
      isLoop &&
      index === messages.length - 2 &&
      first !== "thinking" &&
      first !== "redacted_thinking"
    ) {
      return `message ${index} does not begin with thinking`
    }
  }
  return undefined
}

const saidFrames = (said: Said, index: number): ReadonlyArray<string> => {
  const start = (content_block: object) =>
    frame({ type: "content_block_start", index, content_block }, "content_block_start")
  const grow = (delta: object) => frame({ type: "content_block_delta", index, delta }, "content_block_delta")
  const stop = frame({ type: "content_block_stop", index }, "content_block_stop")
  if ("text" in said) {
    return [start({ type: "text", text: "" }), ...said.text.map((text) => grow({ type: "text_delta", text })), stop]
  }
  if ("thinking" in said) {
    const signature = sign(said.thinking.join(""))
    return [
      start({ type: "thinking", thinking: "", signature: "" }),
      ...said.thinking.map((thinking) => grow({ type: "thinking_delta", thinking })),
      grow({ type: "signature_delta", signature: signature.slice(0, 5) }),
      grow({ type: "signature_delta", signature: signature.slice(5) }),
      stop
    ]
  }
  if ("hidden" in said) return [start({ type: "redacted_thinking", data: `cipher-${said.hidden}` }), stop]
  const [name, ...args] = said.call
  return [
    start({ type: "tool_use", id: `toolu_${index}`, name, input: {} }),
    ...args.map((partial_json) => grow({ type: "input_json_delta", partial_json })),
    stop
  ]
}

const stops = { stop: "end_turn", length: "max_tokens", refusal: "refusal" } as const

/** Anthropic's Messages API. */
export const anthropic: Dialect = {
  name: "anthropic",
  layer: (baseUrl) =>
    Anthropic.layer({ baseUrl, apiKey: Redacted.make("secret"), thinkingBudget: 1024, idleTimeout: "300 millis" }),
  encode: (request) => Anthropic.provider({ maxTokens: 4096, thinkingBudget: 1024 }).encode(request).body,
  modelOf: (_, body) => String(body["model"]),
  flaw,
  key: ["x-api-key", "secret"],
  frames: ({ ends, says }) => {
    const usage = { input_tokens: 5, cache_read_input_tokens: 2, output_tokens: 1 }
    const said = says.flatMap(saidFrames)
    const begun = [
      frame({ type: "message_start", message: { usage } }, "message_start"),
      frame({ type: "ping" }, "ping"),
      ...said
    ]
    if (ends === "overloaded")
      return [...begun, frame({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }, "error")]
    if (ends === "context")
      return [
        ...begun,
        frame(
          {
            type: "error",
            error: { type: "invalid_request_error", message: "prompt is too long: 9 tokens > 8 maximum" }
          },
          "error"
        )
      ]
    if (ends !== "stop" && ends !== "length" && ends !== "refusal") return begun
    const stop_reason = ends === "stop" && says.some((said) => "call" in said) ? "tool_use" : stops[ends]
    return [
      ...begun,
      frame({ type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 3 } }, "message_delta"),
      frame({ type: "message_stop" }, "message_stop")
    ]
  }
}
