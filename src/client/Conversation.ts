import * as Transcript from "../history/Transcript.ts"
import type { ApplicationMessage, HistoryMessage } from "../protocol/Message.ts"
import type { ToolCall } from "../protocol/Tool.ts"
import type { StopReason } from "../protocol/Turn.ts"
import type { TurnEvent } from "../protocol/TurnEvent.ts"

/**
 * What a client knows of its conversation: what is whole, and the turn that is being told. `answered` are the calls that it
 * has sent an answer for, `presumed` those whose denial it wrote down itself until the server tells it.
 */
export interface Conversation {
  readonly before: ReadonlyArray<HistoryMessage>
  readonly turn: Transcript.Transcript
  readonly answered: ReadonlySet<string>
  readonly presumed: ReadonlySet<string>
}

/** A conversation that stands in a history. */
export const make = (history: ReadonlyArray<HistoryMessage>): Conversation => ({
  before: history,
  turn: Transcript.empty,
  answered: new Set(),
  presumed: new Set()
})

/** All that was said, what is unfinished included. */
export const messages = ({ before, turn }: Conversation): ReadonlyArray<HistoryMessage> => [
  ...before,
  ...Transcript.messages(turn)
]

const denial = (toolCallId: string, reason: string | undefined): HistoryMessage => ({
  role: "tool",
  toolCallId,
  content: reason === undefined ? "Tool call denied" : `Tool call denied: ${reason}`
})

const toHistory = (message: ApplicationMessage): ReadonlyArray<HistoryMessage> => {
  if (message.role !== "tool_permission") return [message]
  return message.granted ? [] : [denial(message.toolCallId, message.reason)]
}

/** The conversation with what the application sends. */
export const send = (conversation: Conversation, sent: ReadonlyArray<ApplicationMessage>): Conversation => {
  const answers = sent.flatMap((message) => (message.role === "user" ? [] : [message.toolCallId]))
  const denied = sent.flatMap((message) =>
    message.role === "tool_permission" && !message.granted ? [message.toolCallId] : []
  )
  return {
    before: [...messages(conversation), ...sent.flatMap(toHistory)],
    turn: Transcript.empty,
    answered: new Set([...conversation.answered, ...answers]),
    presumed: new Set([...conversation.presumed, ...denied])
  }
}

/**
 * The conversation with what the server has of it, up to what was sent last: what comes behind is being told. Where the
 * server does not have that, what is known here stays.
 */
export const settle = (conversation: Conversation, history: ReadonlyArray<HistoryMessage>): Conversation => {
  const last = JSON.stringify(conversation.before.at(-1))
  const end = history.findLastIndex((message) => JSON.stringify(message) === last)
  return end === -1 ? conversation : { ...conversation, before: history.slice(0, end + 1) }
}

/** The conversation with what the server tells. */
export const hear = (conversation: Conversation, event: TurnEvent): Conversation => {
  if (event.event !== "tool_result" || !conversation.presumed.has(event.data.toolCallId)) {
    return { ...conversation, turn: Transcript.apply(conversation.turn, event) }
  }
  const { content, toolCallId } = event.data
  return {
    ...conversation,
    before: conversation.before.map((message) =>
      message.role === "tool" && message.toolCallId === toolCallId ? { ...message, content } : message
    ),
    presumed: new Set([...conversation.presumed].filter((id) => id !== toolCallId))
  }
}

const callsOf = (message: HistoryMessage): ReadonlyArray<ToolCall> =>
  message.role !== "assistant" || typeof message.content === "string"
    ? []
    : message.content.flatMap((block) => {
        if (block.type !== "tool_use") return []
        const { type: _, ...call } = block
        return [call]
      })

/** The calls since the user last spoke that nobody has answered, in order, wherever their results might stand. */
export const open = (conversation: Conversation): ReadonlyArray<ToolCall> => {
  const all = messages(conversation)
  const since = all.slice(all.findLastIndex(({ role }) => role === "user") + 1)
  const closed = new Set(since.flatMap((message) => (message.role === "tool" ? [message.toolCallId] : [])))
  return since
    .flatMap(callsOf)
    .filter(({ toolCallId }) => !closed.has(toolCallId) && !conversation.answered.has(toolCallId))
}

/** How a turn has stopped whose server does not say so. */
export const presumedStop = (conversation: Conversation): StopReason =>
  open(conversation).length > 0 ? "tool_use" : "end_turn"

/**
 * The calls that the application is to answer once its turn has stopped: all that are open where the server waits for them,
 * and where it does not say so but a call is of one of the application's own tools.
 */
export const owed = (
  conversation: Conversation,
  stopReason: StopReason,
  isOwn: (call: ToolCall) => boolean
): ReadonlyArray<ToolCall> => {
  const calls = open(conversation)
  const waits = stopReason === "tool_use" || (stopReason === "end_turn" && calls.some(isOwn))
  return waits ? calls : []
}
