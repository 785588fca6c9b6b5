import { Schema } from "effect"
import type { ImageBlock } from "../protocol/Content.ts"
import type { ModelRequest } from "./ChatModel.ts"
import * as Conversation from "./Conversation.ts"
import * as ImageKind from "./ImageKind.ts"
import * as OwnData from "./OwnData.ts"
import * as ProviderCallIds from "./ProviderCallIds.ts"
import * as ToolNames from "./ToolNames.ts"

/** Whose provider data this is. */
export const provider = "anthropic"

/** What the model may spend. */
export interface AnthropicLimits {
  /** The most tokens of an answer, where the agent says nothing; the API wants a number. */
  readonly maxTokens: number
  /** The tokens of an answer that may be thinking; 0 for no extended thinking. */
  readonly thinkingBudget: number
}

/** Thinking as it must go back: byte for byte, with its signature, or as the cipher that it came as. */
const SignedThinking = Schema.Union([
  Schema.Struct({ type: Schema.Literal("thinking"), thinking: Schema.String, signature: Schema.NonEmptyString }),
  Schema.Struct({ type: Schema.Literal("redacted_thinking"), data: Schema.NonEmptyString })
])

/** What is kept of thinking: itself, and the model that signed it. No other is told it. */
const ThinkingData = Schema.Struct({ model: Schema.String, thought: SignedThinking })
export type ThinkingData = typeof ThinkingData.Type

type Block = Schema.JsonObject

const thinkingOf = OwnData.reader(provider, ThinkingData)

/** Marks the end of a prefix that the next request begins with too, so that it is read from the cache. */
const cached = { cache_control: { type: "ephemeral" } }

const source = ({ url }: ImageBlock): Block => {
  const data = ImageKind.parseDataUrl(url)
  return data === undefined ? { type: "url", url } : { type: "base64", media_type: data.mediaType, data: data.base64 }
}

const said = (content: Conversation.Said): ReadonlyArray<Block> =>
  content.map((block) =>
    block.type === "text" ? { type: "text", text: block.text } : { type: "image", source: source(block) }
  )

const signed = (spoken: Conversation.SpokenBlock, model: string): ReadonlyArray<Block> =>
  thinkingOf(spoken, model).map(({ thought }) => ({ ...thought }))

/** Unsigned thinking is refused, so only what the model signed goes back. */
const takes =
  (model: string) =>
  (spoken: Conversation.SpokenBlock): boolean =>
    spoken.block.type !== "thinking" || signed(spoken, model).length > 0

interface Aliases {
  readonly model: string
  readonly names: ToolNames.ToolNames
  readonly idOf: ProviderCallIds.CallIds
}

const spokenBlocks = (spoken: Conversation.SpokenBlock, { idOf, model, names }: Aliases): ReadonlyArray<Block> => {
  const { block } = spoken
  const thinking = signed(spoken, model)
  if (block.type === "thinking") return thinking
  return block.type === "text"
    ? [...thinking, { type: "text", text: block.text }]
    : [...thinking, { type: "tool_use", id: idOf(block), name: names.toAlias(block.name), input: block.input }]
}

const toMessages = (exchanges: ReadonlyArray<Conversation.Exchange>, aliases: Aliases): ReadonlyArray<Block> => {
  const messages: Array<{ readonly role: string; readonly content: Array<Block> }> = []
  const add = (role: "user" | "assistant", content: ReadonlyArray<Block>) => {
    const last = messages.at(-1)
    if (content.length === 0) return
    if (last?.role === role) last.content.push(...content)
    else messages.push({ role, content: [...content] })
  }
  for (const exchange of exchanges) {
    if (exchange.role === "user") add("user", said(exchange.content))
    else {
      if (messages.length === 0) add("user", [{ type: "text", text: "(The conversation begins with the assistant.)" }])
      add(
        "assistant",
        exchange.blocks.flatMap((spoken) => spokenBlocks(spoken, aliases))
      )
      add(
        "user",
        exchange.results.map(({ call, content }) => ({
          type: "tool_result",
          tool_use_id: aliases.idOf(call),
          content: said(content)
        }))
      )
    }
  }
  const last = messages.at(-1)
  const block = last?.content.at(-1)
  if (last?.role === "user" && block !== undefined) last.content[last.content.length - 1] = { ...block, ...cached }
  return messages
}

const toTools = (tools: ModelRequest["tools"], names: ToolNames.ToolNames): ReadonlyArray<Block> =>
  tools.map(({ description, name, parameters }, index) => ({
    name: names.toAlias(name),
    description,
    input_schema: { type: "object", ...parameters },
    ...(index === tools.length - 1 ? cached : {})
  }))

/**
 * Whether the model may think: right after calls only if they began with thinking that it signed, as the API refuses a
 * loop that turns thoughtful halfway.
 */
const mayThink = (exchanges: ReadonlyArray<Conversation.Exchange>, model: string): boolean => {
  const last = exchanges.findLast((exchange) => exchange.role === "assistant")
  const first = last?.role === "assistant" && last.results.length > 0 ? last.blocks[0] : undefined
  return first === undefined || signed(first, model).length > 0
}

/** A request as the Messages API takes it, and the names that its tools have there. */
export const encode = (
  request: ModelRequest,
  limits: AnthropicLimits
): { readonly body: Schema.JsonObject; readonly names: ToolNames.ToolNames } => {
  const { exchanges, system } = Conversation.make(request.system, request.history, takes(request.model))
  const names = ToolNames.make([...request.tools.map(({ name }) => name), ...Conversation.calledNames(exchanges)])
  const idOf = ProviderCallIds.make(provider, exchanges)
  const budget = mayThink(exchanges, request.model) ? limits.thinkingBudget : 0
  return {
    names,
    body: {
      model: request.model,
      stream: true,
      max_tokens: (request.maxTokens ?? limits.maxTokens) + budget,
      messages: toMessages(exchanges, { model: request.model, names, idOf }),
      ...(system === "" ? {} : { system: [{ type: "text", text: system, ...cached }] }),
      ...(request.tools.length === 0 ? {} : { tools: toTools(request.tools, names) }),
      ...(budget === 0 ? {} : { thinking: { type: "enabled", budget_tokens: budget } })
    }
  }
}
