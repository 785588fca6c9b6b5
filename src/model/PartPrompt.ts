import { Schema } from "effect"
import type { ModelRequest } from "./ChatModel.ts"
import * as Conversation from "./Conversation.ts"
import * as ImageKind from "./ImageKind.ts"
import * as OwnData from "./OwnData.ts"
import * as ProviderCallIds from "./ProviderCallIds.ts"
import * as ResultImages from "./ResultImages.ts"
import * as ToolNames from "./ToolNames.ts"

/** What a library wants back with a part, by its provider. */
export const Options = Schema.JsonObject
export type Options = typeof Options.Type

/** Reasoning as it goes back: its own text, since neighbouring thinking is one block in the history. */
export const ReasoningData = Schema.Struct({
  model: Schema.String,
  reasoning: Schema.String,
  options: Schema.optionalKey(Options)
})

/** What goes back with a call: the provider's id of it, and what else it wants. */
export const CallData = Schema.Struct({
  model: Schema.String,
  id: Schema.String,
  options: Schema.optionalKey(Options)
})

/** A part of a message, as the libraries that speak with many providers have it. */
export type Part =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly url: string; readonly mediaType: string; readonly base64?: string }
  | { readonly type: "reasoning"; readonly text: string; readonly options?: Options }
  | {
      readonly type: "call"
      readonly id: string
      readonly name: string
      readonly input: Schema.JsonObject
      readonly options?: Options
    }
  | { readonly type: "result"; readonly id: string; readonly name: string; readonly text: string }

/** The parts of a type. */
export type PartOf<Type extends Part["type"]> = Extract<Part, { readonly type: Type }>

/** A message: system text is told apart, and stands first. */
export type Message =
  | { readonly role: "user"; readonly parts: ReadonlyArray<PartOf<"text" | "image">> }
  | { readonly role: "assistant"; readonly parts: ReadonlyArray<PartOf<"text" | "reasoning" | "call">> }
  | { readonly role: "tool"; readonly parts: ReadonlyArray<PartOf<"result">> }

/** A request in parts, and the names that its tools have there. */
export interface PartPrompt {
  readonly system: string
  readonly messages: ReadonlyArray<Message>
  readonly tools: ModelRequest["tools"]
  readonly names: ToolNames.ToolNames
}

const saidPart = (block: Conversation.Said[number]): PartOf<"text" | "image"> => {
  if (block.type === "text") return block
  const data = ImageKind.parseDataUrl(block.url)
  return data === undefined
    ? { type: "image", url: block.url, mediaType: "image/*" }
    : { type: "image", url: block.url, ...data }
}

const withOptions = <P extends Part>(part: P, options: Options | undefined): P =>
  options === undefined ? part : { ...part, options }

/**
 * Brings requests into parts. `provider` and `model` are those whose data go back: no other model is told its reasoning.
 */
export const maker = (provider: string): ((model: string, request: ModelRequest) => PartPrompt) => {
  const reasoningOf = OwnData.reader(provider, ReasoningData)
  const callDataOf = OwnData.reader(provider, CallData)
  return (model, request) => {
    const reasonings = (spoken: Conversation.SpokenBlock): ReadonlyArray<PartOf<"reasoning">> =>
      reasoningOf(spoken, model).map(({ options, reasoning: text }) =>
        withOptions({ type: "reasoning", text }, options)
      )
    const takes = (spoken: Conversation.SpokenBlock, all: ReadonlyArray<Conversation.SpokenBlock>): boolean =>
      spoken.block.type !== "thinking" ||
      (reasonings(spoken).length > 0 && all.some(({ block }) => block.type !== "thinking"))
    const conversation = Conversation.make(request.system, request.history, takes)
    const exchanges = ResultImages.behind(conversation.exchanges)
    const names = ToolNames.make([...request.tools.map(({ name }) => name), ...Conversation.calledNames(exchanges)])
    const idOf = ProviderCallIds.make(provider, exchanges)
    const spokenParts = (spoken: Conversation.SpokenBlock): ReadonlyArray<PartOf<"text" | "reasoning" | "call">> => {
      const { block } = spoken
      const before = reasonings(spoken)
      if (block.type === "thinking") return before
      if (block.type === "text") return [...before, block]
      const [kept] = callDataOf(spoken, model)
      const call = { type: "call", id: idOf(block), name: names.toAlias(block.name), input: block.input } as const
      return [...before, withOptions<PartOf<"call">>(call, kept?.options)]
    }
    return {
      system: conversation.system,
      names,
      tools: request.tools.map((tool) => ({ ...tool, name: names.toAlias(tool.name) })),
      messages: exchanges.flatMap((exchange): ReadonlyArray<Message> => {
        if (exchange.role === "user") return [{ role: "user", parts: exchange.content.map(saidPart) }]
        const spoken: Message = { role: "assistant", parts: exchange.blocks.flatMap(spokenParts) }
        const parts = exchange.results.map(
          ({ call, content }) =>
            ({
              type: "result",
              id: idOf(call),
              name: names.toAlias(call.name),
              text: ResultImages.text(content)
            }) as const
        )
        return parts.length === 0 ? [spoken] : [spoken, { role: "tool", parts }]
      })
    }
  }
}
