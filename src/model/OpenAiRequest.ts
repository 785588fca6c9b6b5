import type { Schema } from "effect"
import type { ToolUseBlock } from "../protocol/Content.ts"
import type { ModelRequest } from "./ChatModel.ts"
import * as Conversation from "./Conversation.ts"
import * as ProviderCallIds from "./ProviderCallIds.ts"
import * as ResultImages from "./ResultImages.ts"
import * as ToolNames from "./ToolNames.ts"

/** Whose provider data this is. */
export const provider = "openai"

type Message = Schema.JsonObject

const textOf = (content: Conversation.Said): string =>
  content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n")

const part = (block: Conversation.Said[number]): Schema.JsonObject =>
  block.type === "text" ? { type: "text", text: block.text } : { type: "image_url", image_url: { url: block.url } }

const userMessage = (content: Conversation.Said): Message => ({
  role: "user",
  content: content.some((block) => block.type === "image") ? content.map(part) : textOf(content)
})

const assistantMessages = (
  { blocks, results }: Extract<Conversation.Exchange, { readonly role: "assistant" }>,
  names: ToolNames.ToolNames,
  idOf: (call: ToolUseBlock) => string
): ReadonlyArray<Message> => {
  const text = blocks.flatMap(({ block }) => (block.type === "text" ? [block.text] : [])).join("\n\n")
  const calls = results.map(({ call }) => ({
    id: idOf(call),
    type: "function",
    function: { name: names.toAlias(call.name), arguments: JSON.stringify(call.input) }
  }))
  if (text === "" && calls.length === 0) return []
  const spoken = { role: "assistant", content: text === "" ? null : text }
  return [
    calls.length === 0 ? spoken : { ...spoken, tool_calls: calls },
    ...results.map(({ call, content }) => ({
      role: "tool",
      tool_call_id: idOf(call),
      content: ResultImages.text(content)
    }))
  ]
}

/** Chat completions have no place for thinking. */
const takes = ({ block }: Conversation.SpokenBlock): boolean => block.type !== "thinking"

/** A request as chat completions take it, and the names that its tools have there. */
export const encode = (
  request: ModelRequest
): { readonly body: Schema.JsonObject; readonly names: ToolNames.ToolNames } => {
  const { exchanges, system } = Conversation.make(request.system, request.history, takes)
  const names = ToolNames.make([...request.tools.map((tool) => tool.name), ...Conversation.calledNames(exchanges)])
  const idOf = ProviderCallIds.make(provider, exchanges)
  const spoken = exchangesToMessages(exchanges, names, idOf)
  return {
    names,
    body: {
      model: request.model,
      stream: true,
      stream_options: { include_usage: true },
      messages: [...(system === "" ? [] : [{ role: "system", content: system }]), ...spoken],
      ...(request.tools.length === 0 ? {} : { tools: request.tools.map((tool) => toTool(tool, names)) }),
      ...(request.maxTokens === undefined ? {} : { max_tokens: request.maxTokens })
    }
  }
}

const exchangesToMessages = (
  exchanges: ReadonlyArray<Conversation.Exchange>,
  names: ToolNames.ToolNames,
  idOf: (call: ToolUseBlock) => string
): ReadonlyArray<Message> =>
  ResultImages.behind(exchanges).flatMap((exchange) =>
    exchange.role === "user" ? [userMessage(exchange.content)] : assistantMessages(exchange, names, idOf)
  )

const toTool = (
  { description, name, parameters }: ModelRequest["tools"][number],
  names: ToolNames.ToolNames
): Schema.JsonObject => ({ type: "function", function: { name: names.toAlias(name), description, parameters } })
