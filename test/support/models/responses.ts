import { Redacted, Schema } from "effect"
import * as OpenAiResponses from "../../../src/model/OpenAiResponses.ts"
import { type Dialect, frame, isBlank, isPlain, type Json, type Said, sign } from "./dialect.ts"

const Item = Schema.Struct({
  type: Schema.Literals(["message", "reasoning", "function_call", "function_call_output"]),
  role: Schema.optionalKey(Schema.Literals(["user", "assistant"])),
  content: Schema.optionalKey(Schema.Array(Schema.JsonObject)),
  id: Schema.optionalKey(Schema.String),
  summary: Schema.optionalKey(Schema.Array(Schema.Json)),
  encrypted_content: Schema.optionalKey(Schema.String),
  call_id: Schema.optionalKey(Schema.String),
  name: Schema.optionalKey(Schema.String),
  arguments: Schema.optionalKey(Schema.String),
  output: Schema.optionalKey(Schema.String)
})
type Item = typeof Item.Type

const Request = Schema.Struct({
  model: Schema.String,
  stream: Schema.Literal(true),
  store: Schema.Literal(false),
  include: Schema.Tuple([Schema.Literal("reasoning.encrypted_content")]),
  instructions: Schema.optionalKey(Schema.NonEmptyString),
  input: Schema.Array(Item),
  tools: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        type: Schema.Literal("function"),
        name: Schema.String,
        parameters: Schema.JsonObject,
        strict: Schema.Boolean
      })
    )
  )
})
const decode = Schema.decodeUnknownSync(Request)

const cipher = (id: string, summary: unknown) => sign(`${id}${JSON.stringify(summary)}`)

const itemFlaw = (item: Item, next: Item | undefined): string | undefined => {
  if (item.type === "message") {
    const kind = item.role === "user" ? "input_text" : "output_text"
    const texts = (item.content ?? []).filter(({ type }) => type !== "input_image")
    return texts.some(({ text, type }) => type !== kind || isBlank(text))
      ? "a text is blank, or of the wrong kind"
      : undefined
  }
  if (item.type === "reasoning") {
    if (item.encrypted_content !== cipher(item.id ?? "", item.summary)) return "a reasoning item was changed"
    return next?.type === "function_call" || next?.type === "reasoning" || next?.role === "assistant"
      ? undefined
      : "a reasoning item stands without what it led to"
  }
  if (item.type === "function_call")
    return isPlain(item.name) && isPlain(item.call_id) ? undefined : "a call is not plain"
  return isBlank(item.output) ? "an output is blank" : undefined
}

const flaw = (body: Json): string | undefined => {
  const { input, tools = [] } = decode(body)
  if (tools.some(({ name }) => !isPlain(name))) return "a tool's name is not plain"
  const seen = new Set<string>()
  let owed: ReadonlyArray<string> = []
  for (const [index, item] of input.entries()) {
    const wrong = itemFlaw(item, input[index + 1])
    if (wrong !== undefined) return `item ${index}: ${wrong}`
    const id = item.call_id ?? ""
    if (item.type === "function_call") {
      if (seen.has(id)) return `the id ${id} is used twice`
      seen.add(id)
      owed = [...owed, id]
    } else if (item.type === "function_call_output") {
      if (owed[0] !== id) return `item ${index} answers ${id}, not ${owed[0]}`
      owed = owed.slice(1)
    } else if (item.role === "user" && owed.length > 0) return `item ${index} comes before the output of ${owed[0]}`
  }
  return owed.length > 0 ? `the call ${owed[0]} has no output` : undefined
}

const saidFrames = (said: Said, output_index: number): ReadonlyArray<string> => {
  const event = (type: string, data: object) => frame({ type, output_index, ...data }, type)
  const around = (item: object, ...middle: ReadonlyArray<string>) => [
    event("response.output_item.added", { item: { ...item, status: "in_progress" } }),
    ...middle,
    event("response.output_item.done", { item: { ...item, status: "completed" } })
  ]
  if ("text" in said) {
    const content = [{ type: "output_text", text: said.text.join("") }]
    return around(
      { type: "message", id: `msg_${output_index}`, content },
      ...said.text.map((delta) => event("response.output_text.delta", { delta }))
    )
  }
  if ("call" in said) {
    const [name, ...args] = said.call
    return around(
      {
        type: "function_call",
        id: `fc_${output_index}`,
        call_id: `call_fc_${output_index}`,
        name,
        arguments: args.join("")
      },
      ...args.map((delta) => event("response.function_call_arguments.delta", { delta }))
    )
  }
  const id = `rs_${output_index}`
  const summary = "thinking" in said ? [{ type: "summary_text", text: said.thinking.join("") }] : []
  const deltas =
    "thinking" in said
      ? said.thinking.map((delta) => event("response.reasoning_summary_text.delta", { summary_index: 0, delta }))
      : []
  return around({ type: "reasoning", id, summary, encrypted_content: cipher(id, summary) }, ...deltas)
}

/** OpenAI's Responses API. */
export const responses: Dialect = {
  name: "openai-responses",
  layer: (baseUrl) => OpenAiResponses.layer({ baseUrl, apiKey: Redacted.make("secret"), idleTimeout: "300 millis" }),
  encode: (request) => OpenAiResponses.provider().encode(request).body,
  modelOf: (_, body) => String(body["model"]),
  flaw,
  key: ["authorization", "Bearer secret"],
  frames: ({ ends, says }) => {
    const usage = {
      input_tokens: 7,
      output_tokens: 3,
      input_tokens_details: { cached_tokens: 2 },
      output_tokens_details: { reasoning_tokens: 1 }
    }
    const begun = [
      frame({ type: "response.created", response: {} }),
      frame({ type: "response.in_progress", response: {} }),
      ...says.flatMap(saidFrames)
    ]
    const fail = (code: string, message: string) => [
      ...begun,
      frame({ type: "response.failed", response: { status: "failed", error: { code, message } } })
    ]
    if (ends === "overloaded") return fail("server_error", "The server had an error")
    if (ends === "context")
      return [
        ...begun,
        frame({ type: "error", code: "context_length_exceeded", message: "Your input exceeds the context window" })
      ]
    if (ends === "stop")
      return [...begun, frame({ type: "response.completed", response: { status: "completed", usage } })]
    if (ends !== "length" && ends !== "refusal") return begun
    const reason = ends === "length" ? "max_output_tokens" : "content_filter"
    return [...begun, frame({ type: "response.incomplete", response: { incomplete_details: { reason }, usage } })]
  }
}
