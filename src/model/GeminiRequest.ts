import { Option, Schema } from "effect"
import type { ToolUseBlock } from "../protocol/Content.ts"
import type { ModelRequest } from "./ChatModel.ts"
import * as Conversation from "./Conversation.ts"
import * as GeminiSignature from "./GeminiSignature.ts"
import * as ImageKind from "./ImageKind.ts"
import * as OwnData from "./OwnData.ts"
import * as ResultImages from "./ResultImages.ts"
import * as ToolNames from "./ToolNames.ts"

/** Whose provider data this is. */
export const provider = "gemini"

/** What goes back with a call: the provider's id of it, and the signature of the thought that led to it. */
export const CallData = Schema.Struct({
  id: Schema.optionalKey(Schema.String),
  thoughtSignature: Schema.optionalKey(Schema.NonEmptyString),
  /** The model that signed; no other takes its signature. */
  model: Schema.String
})
export type CallData = typeof CallData.Type

type Part = Schema.JsonObject

const saidPart = (block: Conversation.Said[number]): Part => {
  if (block.type === "text") return { text: block.text }
  const data = ImageKind.parseDataUrl(block.url)
  return data === undefined
    ? { text: `(An image at ${block.url}, which cannot be shown here.)` }
    : { inlineData: { mimeType: data.mediaType, data: data.base64 } }
}

const dataOf = OwnData.reader(provider, CallData)
const callData = (spoken: Conversation.SpokenBlock, model: string): Option.Option<CallData> =>
  Option.fromUndefinedOr(dataOf(spoken, model)[0])

/** The provider's id of a call, where it gave one: the result must bear it, too. */
const idOf = (data: Option.Option<CallData>): { readonly id?: string } =>
  Option.match(data, { onNone: () => ({}), onSome: ({ id }) => (id === undefined ? {} : { id }) })

const callPart = (
  spoken: Conversation.SpokenBlock,
  call: ToolUseBlock,
  isFirst: boolean,
  model: string,
  names: ToolNames.ToolNames
): Part => {
  const data = callData(spoken, model)
  const signature = Option.flatMapNullishOr(data, ({ thoughtSignature }) => thoughtSignature)
  const stand = isFirst && GeminiSignature.isWanted(model) ? Option.some(GeminiSignature.unsigned) : Option.none()
  return {
    functionCall: { ...idOf(data), name: names.toAlias(call.name), args: call.input },
    ...Option.match(
      Option.orElse(signature, () => stand),
      {
        onNone: () => ({}),
        onSome: (thoughtSignature) => ({ thoughtSignature })
      }
    )
  }
}

const modelParts = (
  blocks: ReadonlyArray<Conversation.SpokenBlock>,
  model: string,
  names: ToolNames.ToolNames
): ReadonlyArray<Part> => {
  const first = blocks.findIndex(({ block }) => block.type === "tool_use")
  return blocks.flatMap((spoken, index): ReadonlyArray<Part> => {
    const { block } = spoken
    if (block.type === "thinking") return []
    return block.type === "text" ? [{ text: block.text }] : [callPart(spoken, block, index === first, model, names)]
  })
}

const resultParts = (
  { blocks, results }: Extract<Conversation.Exchange, { readonly role: "assistant" }>,
  model: string,
  names: ToolNames.ToolNames
): ReadonlyArray<Part> => [
  ...results.map(({ call, content }) => ({
    functionResponse: {
      ...idOf(
        Option.flatMap(Option.fromUndefinedOr(blocks.find(({ block }) => block === call)), (spoken) =>
          callData(spoken, model)
        )
      ),
      name: names.toAlias(call.name),
      response: { result: ResultImages.text(content) }
    }
  })),
  ...results.flatMap(({ content }) => content.filter((block) => block.type === "image").map(saidPart))
]

const toContents = (
  exchanges: ReadonlyArray<Conversation.Exchange>,
  model: string,
  names: ToolNames.ToolNames
): ReadonlyArray<Schema.JsonObject> => {
  const contents: Array<{ readonly role: "user" | "model"; readonly parts: Array<Part> }> = []
  const add = (role: "user" | "model", parts: ReadonlyArray<Part>) => {
    const last = contents.at(-1)
    if (parts.length === 0) return
    if (last?.role === role) last.parts.push(...parts)
    else contents.push({ role, parts: [...parts] })
  }
  for (const exchange of exchanges) {
    if (exchange.role === "user") add("user", exchange.content.map(saidPart))
    else {
      if (contents.length === 0) add("user", [{ text: "(The conversation begins with the model.)" }])
      add("model", modelParts(exchange.blocks, model, names))
      add("user", resultParts(exchange, model, names))
    }
  }
  return contents
}

/** What the API sees. */
const kinds = new Set(["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"])

const takes = ({ block }: Conversation.SpokenBlock): boolean => block.type !== "thinking"

/** A request as the Gemini API takes it, and the names that its tools have there. */
export const encode = (
  request: ModelRequest,
  showThoughts: boolean
): { readonly body: Schema.JsonObject; readonly names: ToolNames.ToolNames } => {
  const { exchanges, system } = Conversation.make(request.system, request.history, takes, kinds)
  const names = ToolNames.make([...request.tools.map(({ name }) => name), ...Conversation.calledNames(exchanges)])
  const functionDeclarations = request.tools.map(({ description, name, parameters }) => ({
    name: names.toAlias(name),
    description,
    parametersJsonSchema: parameters
  }))
  return {
    names,
    body: {
      contents: toContents(exchanges, request.model, names),
      ...(system === "" ? {} : { systemInstruction: { parts: [{ text: system }] } }),
      ...(request.tools.length === 0 ? {} : { tools: [{ functionDeclarations }] }),
      generationConfig: {
        ...(request.maxTokens === undefined ? {} : { maxOutputTokens: request.maxTokens }),
        ...(showThoughts ? { thinkingConfig: { includeThoughts: true } } : {})
      }
    }
  }
}
