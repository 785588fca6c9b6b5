import { Schema } from "effect"

const Call = Schema.Struct({
  id: Schema.NonEmptyString,
  type: Schema.Literal("function"),
  function: Schema.Struct({ name: Schema.String, arguments: Schema.String }),
  extra_content: Schema.optionalKey(
    Schema.Struct({ google: Schema.Struct({ thought_signature: Schema.NonEmptyString }) })
  )
})

const Part = Schema.Union([
  Schema.Struct({ type: Schema.Literal("text"), text: Schema.String }),
  Schema.Struct({ type: Schema.Literal("image_url"), image_url: Schema.Struct({ url: Schema.String }) })
])

const Message = Schema.Union([
  Schema.Struct({ role: Schema.Literal("system"), content: Schema.String }),
  Schema.Struct({ role: Schema.Literal("user"), content: Schema.Union([Schema.String, Schema.Array(Part)]) }),
  Schema.Struct({
    role: Schema.Literal("assistant"),
    content: Schema.NullOr(Schema.String),
    reasoning_content: Schema.optionalKey(Schema.String),
    reasoning: Schema.optionalKey(Schema.String),
    reasoning_details: Schema.optionalKey(Schema.Array(Schema.Json)),
    tool_calls: Schema.optionalKey(Schema.Array(Call))
  }),
  Schema.Struct({ role: Schema.Literal("tool"), tool_call_id: Schema.String, content: Schema.String })
])

/** A request as a strict server reads it. */
export const Request = Schema.Struct({
  model: Schema.String,
  stream: Schema.Literal(true),
  stream_options: Schema.Struct({ include_usage: Schema.Boolean }),
  messages: Schema.Array(Message),
  tools: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        type: Schema.Literal("function"),
        function: Schema.Struct({ name: Schema.String, description: Schema.String, parameters: Schema.JsonObject })
      })
    )
  ),
  max_tokens: Schema.optionalKey(Schema.Int)
})
export type Request = typeof Request.Type

const name = /^[a-zA-Z0-9_-]{1,64}$/
const isBlank = (text: string) => text.trim() === ""

/** What a strict server refuses in a request; `undefined` for nothing. */
export const flaw = ({ messages, model, tools = [] }: Request): string | undefined => {
  const names = tools.map((tool) => tool.function.name)
  const badName = names.find((item, index) => !name.test(item) || names.indexOf(item) !== index)
  if (badName !== undefined) return `the tool name ${badName} is not plain, or is used twice`
  const ids = new Set<string>()
  let owed: ReadonlyArray<string> = []
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1]
    if (message.role === "tool") {
      if (owed[0] !== message.tool_call_id) return `message ${index} answers ${message.tool_call_id}, not ${owed[0]}`
      owed = owed.slice(1)
      if (isBlank(message.content)) return `message ${index} is blank`
      continue
    }
    if (owed.length > 0) return `message ${index} comes before the results of ${owed.join(", ")}`
    if (message.role === before?.role) return `messages ${index - 1} and ${index} are both ${message.role}'s`
    if (message.role === "system") {
      if (index > 0) return `message ${index} is a late system message`
      if (isBlank(message.content)) return "the system message is blank"
    } else if (message.role === "user") {
      const texts =
        typeof message.content === "string"
          ? [message.content]
          : message.content.flatMap((part) => (part.type === "text" ? [part.text] : []))
      if (texts.some(isBlank) || message.content.length === 0) return `message ${index} has a blank text`
    } else {
      const calls = message.tool_calls ?? []
      if (message.content === null ? calls.length === 0 : isBlank(message.content))
        return `message ${index} says nothing`
      if (message.tool_calls?.length === 0) return `message ${index} has an empty list of calls`
      for (const call of calls) {
        if (!name.test(call.function.name)) return `the called name ${call.function.name} is not plain`
        if (!name.test(call.id) || ids.has(call.id)) return `the call id ${call.id} is not plain, or is used twice`
        ids.add(call.id)
      }
      if (calls.length > 0 && model.includes("deepseek") && message.reasoning_content === undefined)
        return "The `reasoning_content` in the thinking mode must be passed back to the API."
      if (calls[0] !== undefined && model === "gemini-3" && calls[0].extra_content === undefined)
        return `the first call of message ${index} has no thought signature`
      owed = calls.map((call) => call.id)
    }
  }
  return owed.length > 0 ? `the calls ${owed.join(", ")} have no result` : undefined
}
