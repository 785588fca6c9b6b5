import type { Schema } from "effect"
import type { ModelRequest } from "./ChatModel.ts"
import * as Conversation from "./Conversation.ts"
import * as GeminiSignature from "./GeminiSignature.ts"
import * as OpenAiCalls from "./OpenAiCalls.ts"
import * as OpenAiReasoning from "./OpenAiReasoning.ts"
import * as OwnData from "./OwnData.ts"
import * as ProviderCallIds from "./ProviderCallIds.ts"
import * as ResultImages from "./ResultImages.ts"
import * as ToolNames from "./ToolNames.ts"

/** Whose provider data this is. */
export const { provider } = OpenAiReasoning

type Message = Schema.JsonObject

const textOf = (content: Conversation.Said): string =>
  content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n")

const part = (block: Conversation.Said[number]): Schema.JsonObject =>
  block.type === "text" ? { type: "text", text: block.text } : { type: "image_url", image_url: { url: block.url } }

const userMessage = (content: Conversation.Said): Message => ({
  role: "user",
  content: content.some((block) => block.type === "image") ? content.map(part) : textOf(content)
})

const callDataOf = OwnData.reader(OpenAiReasoning.provider, OpenAiCalls.CallData)

/** What a server added to a call of the model's, and wants back with it; a stand-in where it insists on some. */
const extraOf = (model: string, spoken: Conversation.SpokenBlock | undefined, isFirst: boolean): Schema.JsonObject => {
  const added = spoken === undefined ? undefined : callDataOf(spoken, model)[0]
  if (added !== undefined) return { extra_content: added.extra }
  return isFirst && GeminiSignature.isWanted(model)
    ? { extra_content: { google: { thought_signature: GeminiSignature.unsigned } } }
    : {}
}

type Assistant = Extract<Conversation.Exchange, { readonly role: "assistant" }>

/** What the messages of a request depend on beside the conversation. */
interface Encoding {
  readonly model: string
  readonly names: ToolNames.ToolNames
  readonly idOf: ProviderCallIds.CallIds
}

const assistantMessages = (
  { blocks, results }: Assistant,
  isInPlay: boolean,
  { idOf, model, names }: Encoding
): ReadonlyArray<Message> => {
  const text = blocks.flatMap(({ block }) => (block.type === "text" ? [block.text] : [])).join("\n\n")
  const calls = results.map(({ call }, index) => ({
    id: idOf(call),
    type: "function",
    function: { name: names.toAlias(call.name), arguments: JSON.stringify(call.input) },
    ...extraOf(
      model,
      blocks.find(({ block }) => block === call),
      index === 0
    )
  }))
  const hasCalls = calls.length > 0
  const spoken: Schema.JsonObject = {
    role: "assistant",
    content: text === "" ? null : text,
    ...(isInPlay ? OpenAiReasoning.fields(model, blocks, hasCalls) : {})
  }
  return [
    hasCalls ? { ...spoken, tool_calls: calls } : spoken,
    ...results.map(({ call, content }) => ({
      role: "tool",
      tool_call_id: idOf(call),
      content: ResultImages.text(content)
    }))
  ]
}

/** Chat completions have no place for thinking alone; beside what it led to, some servers want it back. */
const takes =
  (model: string) =>
  (spoken: Conversation.SpokenBlock, all: ReadonlyArray<Conversation.SpokenBlock>): boolean =>
    spoken.block.type !== "thinking" ||
    (all.some(({ block }) => block.type !== "thinking") &&
      !OpenAiReasoning.isNone(OpenAiReasoning.ofBlock(model, spoken)))

/** A request as chat completions take it, and the names that its tools have there. */
export const encode = (
  request: ModelRequest
): { readonly body: Schema.JsonObject; readonly names: ToolNames.ToolNames } => {
  const { exchanges, system } = Conversation.make(request.system, request.history, takes(request.model))
  const names = ToolNames.make([...request.tools.map((tool) => tool.name), ...Conversation.calledNames(exchanges)])
  const encoding = { model: request.model, names, idOf: ProviderCallIds.make(provider, exchanges) }
  return {
    names,
    body: {
      model: request.model,
      stream: true,
      stream_options: { include_usage: true },
      messages: [
        ...(system === "" ? [] : [{ role: "system", content: system }]),
        ...exchangesToMessages(exchanges, encoding)
      ],
      ...(request.tools.length === 0 ? {} : { tools: request.tools.map((tool) => toTool(tool, names)) }),
      ...(request.maxTokens === undefined ? {} : { max_tokens: request.maxTokens })
    }
  }
}

const exchangesToMessages = (
  exchanges: ReadonlyArray<Conversation.Exchange>,
  encoding: Encoding
): ReadonlyArray<Message> => {
  const inPlay = OpenAiReasoning.inPlay(exchanges)
  return ResultImages.behind(exchanges).flatMap((exchange) =>
    exchange.role === "user"
      ? [userMessage(exchange.content)]
      : assistantMessages(exchange, inPlay.has(exchange), encoding)
  )
}

const toTool = (
  { description, name, parameters }: ModelRequest["tools"][number],
  names: ToolNames.ToolNames
): Schema.JsonObject => ({ type: "function", function: { name: names.toAlias(name), description, parameters } })
