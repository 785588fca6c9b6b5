import { Schema } from "effect"
import type { ModelRequest } from "./ChatModel.ts"
import * as Conversation from "./Conversation.ts"
import * as OwnData from "./OwnData.ts"
import * as ProviderCallIds from "./ProviderCallIds.ts"
import * as ResultImages from "./ResultImages.ts"
import * as ToolNames from "./ToolNames.ts"

/** Whose provider data this is. */
export const provider = "openai-responses"

/** How a reasoning model reasons; sent only where it is set, since other models refuse it. */
export interface ReasoningOptions {
  readonly effort?: string
  readonly summary?: "auto" | "concise" | "detailed"
}

/** A reasoning item as it must go back: whole, with its cipher, before what it led to. */
export const ReasoningItem = Schema.Struct({
  type: Schema.Literal("reasoning"),
  id: Schema.String,
  summary: Schema.Array(Schema.Json),
  encrypted_content: Schema.NonEmptyString
})

/** What is kept of reasoning: the item, and the model that it is of. No other is told it. */
const ReasoningData = Schema.Struct({ model: Schema.String, item: ReasoningItem })
export type ReasoningData = typeof ReasoningData.Type

type Item = Schema.JsonObject

const reasoningOf = OwnData.reader(provider, ReasoningData)

const reasoning = (spoken: Conversation.SpokenBlock, model: string): ReadonlyArray<Item> =>
  reasoningOf(spoken, model).map(({ item }) => ({ ...item }))

const takes =
  (model: string) =>
  (spoken: Conversation.SpokenBlock): boolean =>
    spoken.block.type !== "thinking" || reasoning(spoken, model).length > 0

interface Encoding {
  readonly model: string
  readonly names: ToolNames.ToolNames
  readonly idOf: ProviderCallIds.CallIds
}

const userItem = (content: Conversation.Said): Item => ({
  type: "message",
  role: "user",
  content: content.map((block) =>
    block.type === "text" ? { type: "input_text", text: block.text } : { type: "input_image", image_url: block.url }
  )
})

const assistantItems = (
  { blocks, results }: Extract<Conversation.Exchange, { readonly role: "assistant" }>,
  { idOf, model, names }: Encoding
): ReadonlyArray<Item> => {
  const spoken = blocks.flatMap((spoken): ReadonlyArray<Item> => {
    const { block } = spoken
    if (block.type === "thinking") return reasoning(spoken, model)
    return block.type === "text"
      ? [
          ...reasoning(spoken, model),
          { type: "message", role: "assistant", content: [{ type: "output_text", text: block.text }] }
        ]
      : [
          ...reasoning(spoken, model),
          {
            type: "function_call",
            call_id: idOf(block),
            name: names.toAlias(block.name),
            arguments: JSON.stringify(block.input)
          }
        ]
  })
  const last = spoken.findLastIndex((item) => item.type !== "reasoning")
  return [
    ...spoken.slice(0, last + 1),
    ...results.map(({ call, content }) => ({
      type: "function_call_output",
      call_id: idOf(call),
      output: ResultImages.text(content)
    }))
  ]
}

/** A request as the Responses API takes it, and the names that its tools have there. Nothing is stored there. */
export const encode = (
  request: ModelRequest,
  options: ReasoningOptions
): { readonly body: Schema.JsonObject; readonly names: ToolNames.ToolNames } => {
  const { exchanges, system } = Conversation.make(request.system, request.history, takes(request.model))
  const names = ToolNames.make([...request.tools.map(({ name }) => name), ...Conversation.calledNames(exchanges)])
  const encoding = { model: request.model, names, idOf: ProviderCallIds.make(provider, exchanges) }
  return {
    names,
    body: {
      model: request.model,
      stream: true,
      store: false,
      include: ["reasoning.encrypted_content"],
      ...(system === "" ? {} : { instructions: system }),
      input: ResultImages.behind(exchanges).flatMap((exchange) =>
        exchange.role === "user" ? [userItem(exchange.content)] : assistantItems(exchange, encoding)
      ),
      ...(request.tools.length === 0
        ? {}
        : {
            tools: request.tools.map(({ description, name, parameters }) => ({
              type: "function",
              name: names.toAlias(name),
              description,
              parameters,
              strict: false
            }))
          }),
      ...(request.maxTokens === undefined ? {} : { max_output_tokens: request.maxTokens }),
      ...(Object.keys(options).length === 0 ? {} : { reasoning: { ...options } })
    }
  }
}
