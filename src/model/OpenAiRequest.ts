import type { Schema } from "effect"
import type { ProviderData } from "../history/HistoryEntry.ts"
import type { ToolUseBlock } from "../protocol/Content.ts"
import type { ModelRequest } from "./ChatModel.ts"
import * as Conversation from "./Conversation.ts"
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

/** A tool's result takes text alone; its images follow as a user's. */
const images = (results: ReadonlyArray<Conversation.CallResult>) =>
  results.flatMap(({ call, content }) => {
    const shown = content.filter((block) => block.type === "image")
    return shown.length === 0 ? [] : [{ type: "text", text: `Images from ${call.name}:` } as const, ...shown]
  })

const resultText = (content: Conversation.Said): string => textOf(content) || "(see the images that follow)"

/** The provider's own ids of calls, where they are plain and used once; else ours, else a number. */
const makeCallIds = (exchanges: ReadonlyArray<Conversation.Exchange>) => {
  const ids = new Map<ToolUseBlock, string>()
  const used = new Set<string>()
  const own = (data: ReadonlyArray<ProviderData>) =>
    data.flatMap(({ data, provider: from }) => (from === provider && typeof data === "string" ? [data] : []))
  for (const exchange of exchanges) {
    if (exchange.role !== "assistant") continue
    for (const { block, providerData } of exchange.blocks) {
      if (block.type !== "tool_use") continue
      const wishes = [...own(providerData), block.toolCallId, `call_${used.size}`, `aap_call_${used.size}`]
      const id = wishes.find((wish) => /^[\w-]{1,64}$/.test(wish) && !used.has(wish)) ?? `aap_call_${used.size}_`
      used.add(id)
      ids.set(block, id)
    }
  }
  return (call: ToolUseBlock): string => ids.get(call) ?? call.toolCallId
}

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
    ...results.map(({ call, content }) => ({ role: "tool", tool_call_id: idOf(call), content: resultText(content) }))
  ]
}

/** Puts the images of results into the user's message behind them, or into one of their own. */
const spread = (exchanges: ReadonlyArray<Conversation.Exchange>): ReadonlyArray<Conversation.Exchange> => {
  const spreadOut: Array<Conversation.Exchange> = []
  let shown: ReadonlyArray<Conversation.Said[number]> = []
  for (const exchange of exchanges) {
    const [first, ...rest] = shown
    if (exchange.role === "user") {
      spreadOut.push(first === undefined ? exchange : { role: "user", content: [first, ...rest, ...exchange.content] })
      shown = []
      continue
    }
    if (first !== undefined) spreadOut.push({ role: "user", content: [first, ...rest] })
    spreadOut.push(exchange)
    shown = images(exchange.results)
  }
  const [first, ...rest] = shown
  return first === undefined ? spreadOut : [...spreadOut, { role: "user", content: [first, ...rest] }]
}

/** Chat completions have no place for thinking. */
const takes = ({ block }: Conversation.SpokenBlock): boolean => block.type !== "thinking"

/** A request as chat completions take it, and the names that its tools have there. */
export const encode = (
  request: ModelRequest
): { readonly body: Schema.JsonObject; readonly names: ToolNames.ToolNames } => {
  const { exchanges, system } = Conversation.make(request.system, request.history, takes)
  const called = exchanges.flatMap((exchange) =>
    exchange.role === "assistant" ? exchange.results.map(({ call }) => call.name) : []
  )
  const names = ToolNames.make([...request.tools.map((tool) => tool.name), ...called])
  const idOf = makeCallIds(exchanges)
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
  spread(exchanges).flatMap((exchange) =>
    exchange.role === "user" ? [userMessage(exchange.content)] : assistantMessages(exchange, names, idOf)
  )

const toTool = (
  { description, name, parameters }: ModelRequest["tools"][number],
  names: ToolNames.ToolNames
): Schema.JsonObject => ({ type: "function", function: { name: names.toAlias(name), description, parameters } })
