import type { HistoryEntry, ProviderData } from "../history/HistoryEntry.ts"
import { isBlank } from "../history/Transcript.ts"
import type { AssistantBlock, ImageBlock, InputContent, TextBlock, ToolUseBlock } from "../protocol/Content.ts"
import type { ToolMessage } from "../protocol/Message.ts"
import * as ImageKind from "./ImageKind.ts"

/** What a user or a tool says to a model: at least one block, none of them blank. */
export type Said = readonly [TextBlock | ImageBlock, ...ReadonlyArray<TextBlock | ImageBlock>]

/** A block of an assistant's, with what its provider wants back with it. */
export interface SpokenBlock {
  readonly block: AssistantBlock
  readonly providerData: ReadonlyArray<ProviderData>
}

/** What came of a call. */
export interface CallResult {
  readonly call: ToolUseBlock
  readonly content: Said
}

/** A part of a conversation in a shape that every provider takes. */
export type Exchange =
  | { readonly role: "user"; readonly content: Said }
  | {
      readonly role: "assistant"
      readonly blocks: ReadonlyArray<SpokenBlock>
      /** A result for each call among the blocks, in their order. */
      readonly results: ReadonlyArray<CallResult>
    }

/** A conversation as a model is fed it. */
export interface Conversation {
  readonly system: string
  readonly exchanges: ReadonlyArray<Exchange>
}

const nothing: TextBlock = { type: "text", text: "(no output)" }
const unanswered: TextBlock = { type: "text", text: "Tool call not run." }

const pictured: TextBlock = { type: "text", text: "(An image.)" }

const said = (content: InputContent, kinds: ReadonlySet<string>): ReadonlyArray<TextBlock | ImageBlock> =>
  (typeof content === "string" ? [{ type: "text", text: content } as const] : content)
    .filter((block) => block.type === "image" || !isBlank(block.text))
    .map((block) => (block.type === "image" ? ImageKind.showable(block, kinds) : block))

const atLeast = (blocks: ReadonlyArray<TextBlock | ImageBlock>, otherwise: TextBlock): Said => {
  const [first, ...rest] = blocks
  return first === undefined ? [otherwise] : [first, ...rest]
}

const assistantBlocks = ({ message, providerData = [] }: HistoryEntry): ReadonlyArray<SpokenBlock> => {
  if (message.role !== "assistant") return []
  const blocks =
    typeof message.content === "string" ? [{ type: "text", text: message.content } as const] : message.content
  return blocks.flatMap((block, index): ReadonlyArray<SpokenBlock> => {
    const data = providerData.filter((data) => data.block === index)
    if (block.type === "image") return [{ block: pictured, providerData: [] }]
    if (block.type === "text" && isBlank(block.text)) return []
    return block.type === "thinking" && isBlank(block.thinking) && data.length === 0
      ? []
      : [{ block, providerData: data }]
  })
}

const isCall = (block: AssistantBlock): block is ToolUseBlock => block.type === "tool_use"

/** The names of all tools that were called. */
export const calledNames = (exchanges: ReadonlyArray<Exchange>): ReadonlyArray<string> =>
  exchanges.flatMap((exchange) => (exchange.role === "assistant" ? exchange.results.map(({ call }) => call.name) : []))

const callsOf = (blocks: ReadonlyArray<SpokenBlock>) => blocks.map(({ block }) => block).filter(isCall)

const resultsOf = (
  blocks: ReadonlyArray<SpokenBlock>,
  answers: ReadonlyArray<ToolMessage>,
  kinds: ReadonlySet<string>
): ReadonlyArray<CallResult> =>
  callsOf(blocks).map((call) => {
    const answer = answers.find((answer) => answer.toolCallId === call.toolCallId)
    return { call, content: answer === undefined ? [unanswered] : atLeast(said(answer.content, kinds), nothing) }
  })

/** The `tool` messages that follow directly. */
const answersAfter = (history: ReadonlyArray<HistoryEntry>, index: number): ReadonlyArray<ToolMessage> => {
  const answers: Array<ToolMessage> = []
  for (let next = index + 1; next < history.length; next++) {
    const message = history[next]?.message
    if (message?.role !== "tool") break
    answers.push(message)
  }
  return answers
}

const join = (exchanges: Array<Exchange>, next: Exchange): void => {
  const last = exchanges.at(-1)
  if (last?.role === "user" && next.role === "user") {
    exchanges[exchanges.length - 1] = { role: "user", content: [...last.content, ...next.content] }
  } else if (last?.role === "assistant" && next.role === "assistant" && last.results.length === 0) {
    exchanges[exchanges.length - 1] = { ...next, blocks: [...last.blocks, ...next.blocks] }
  } else exchanges.push(next)
}

/**
 * Brings a history into a shape that no provider refuses. `takes` says which of the assistant's blocks this one takes,
 * among all of their message, `kinds` which media types of images it sees.
 *
 * 1. System text is hoisted: the agent's first, then what stands in the history.
 * 2. Blank blocks are dropped, and messages that say nothing with them.
 * 3. Messages of one role in a row are one, unless calls stand between.
 * 4. Images that it does not see are notes, and so are an assistant's own.
 * 5. Each call has one result, right behind it, in the order of the calls; a result of no call is dropped.
 */
export const make = (
  system: string,
  history: ReadonlyArray<HistoryEntry>,
  takes: (spoken: SpokenBlock, all: ReadonlyArray<SpokenBlock>) => boolean = () => true,
  kinds: ReadonlySet<string> = ImageKind.common
): Conversation => {
  const systems = [system]
  const exchanges: Array<Exchange> = []
  for (const [index, entry] of history.entries()) {
    const { message } = entry
    if (message.role === "system") systems.push(message.content)
    else if (message.role === "user") {
      const [first, ...rest] = said(message.content, kinds)
      if (first !== undefined) join(exchanges, { role: "user", content: [first, ...rest] })
    } else if (message.role === "assistant") {
      const blocks = assistantBlocks(entry).filter((spoken, _, all) => takes(spoken, all))
      const results = resultsOf(blocks, answersAfter(history, index), kinds)
      if (blocks.length > 0) join(exchanges, { role: "assistant", blocks, results })
    }
  }
  return { system: systems.filter((text) => !isBlank(text)).join("\n\n"), exchanges }
}
