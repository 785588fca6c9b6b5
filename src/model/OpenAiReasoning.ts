import { Schema } from "effect"
import type { ModelEvent } from "./ChatModel.ts"
import type * as Conversation from "./Conversation.ts"
import * as OpenAiChunk from "./OpenAiChunk.ts"
import * as OwnData from "./OwnData.ts"

/** Whose provider data this is. */
export const provider = "openai"

/**
 * Reasoning as compatible servers send it, and as they want it back with the calls that it led to: `reasoning_content`
 * (DeepSeek, Moonshot, llama.cpp), `reasoning` (Ollama, Groq, vLLM) or `reasoning_details` (OpenRouter). Each is told
 * again under the name that it came by.
 */
const Reasoning = Schema.Struct({
  reasoning_content: Schema.optionalKey(Schema.String),
  reasoning: Schema.optionalKey(Schema.String),
  reasoning_details: Schema.optionalKey(Schema.Array(Schema.Json))
})
export type Reasoning = typeof Reasoning.Type

/** Reasoning as it is stored, with the model that it is of; no other is told it. */
const ReasoningData = Schema.Struct({ model: Schema.String, reasoned: Reasoning })

/** No reasoning. */
export const none: Reasoning = {}

/** Whether there is nothing to tell again. */
export const isNone = (reasoning: Reasoning): boolean => reasoning === none || Object.keys(reasoning).length === 0

const join = (one: Reasoning, other: Reasoning): Reasoning => ({
  ...one,
  ...other,
  ...(one.reasoning_content === undefined || other.reasoning_content === undefined
    ? {}
    : { reasoning_content: one.reasoning_content + other.reasoning_content }),
  ...(one.reasoning === undefined || other.reasoning === undefined
    ? {}
    : { reasoning: one.reasoning + other.reasoning }),
  ...(one.reasoning_details === undefined || other.reasoning_details === undefined
    ? {}
    : { reasoning_details: [...one.reasoning_details, ...other.reasoning_details] })
})

/** What a message of an answer reasons, where it reasons at all. */
const ofMessage = (message: OpenAiChunk.Message): Reasoning => {
  const details = message.reasoning_details ?? []
  const content = message.reasoning_content ?? ""
  const text = OpenAiChunk.contentText(message.reasoning)
  return {
    ...(content === "" ? {} : { reasoning_content: content }),
    ...(content !== "" || text === "" || details.length > 0 ? {} : { reasoning: text }),
    ...(details.length === 0 ? {} : { reasoning_details: details })
  }
}

/** The reasoning, with what a further message of the answer adds. */
export const add = (reasoning: Reasoning, message: OpenAiChunk.Message): Reasoning => {
  const more = ofMessage(message)
  return isNone(more) ? reasoning : join(reasoning, more)
}

/** What keeps the reasoning with the block it was of, or led to. */
export const toEvents = (reasoned: Reasoning, model: string): ReadonlyArray<ModelEvent> =>
  isNone(reasoned) ? [] : [{ type: "provider_data", data: { model, reasoned } }]

const reasoningOf = OwnData.reader(provider, ReasoningData)

/** The reasoning of the model's own that is kept with a block. */
export const ofBlock = (model: string, spoken: Conversation.SpokenBlock): Reasoning =>
  reasoningOf(spoken, model).reduce((all, { reasoned }) => join(all, reasoned), none)

/** Whether a model refuses calls without the reasoning that led to them, be it empty. */
export const isWanted = (model: string): boolean => /deepseek/i.test(model)

/** Which of the exchanges belong to a question that tools were called for: their reasoning is told again. */
export const inPlay = (exchanges: ReadonlyArray<Conversation.Exchange>): ReadonlySet<Conversation.Exchange> => {
  const told = new Set<Conversation.Exchange>()
  let question: Array<Conversation.Exchange> = []
  const close = () => {
    if (question.some((exchange) => exchange.role === "assistant" && exchange.results.length > 0)) {
      for (const exchange of question) told.add(exchange)
    }
    question = []
  }
  for (const exchange of exchanges) {
    if (exchange.role === "user") close()
    else question.push(exchange)
  }
  close()
  return told
}

/** The fields that tell the reasoning of an assistant's blocks again. */
export const fields = (
  model: string,
  blocks: ReadonlyArray<Conversation.SpokenBlock>,
  hasCalls: boolean
): Reasoning => {
  const reasoned = blocks.reduce((all, spoken) => join(all, ofBlock(model, spoken)), none)
  return isNone(reasoned) && hasCalls && isWanted(model) ? { reasoning_content: "" } : reasoned
}
