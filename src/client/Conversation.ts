import { Equal } from "effect"
import * as Transcript from "../history/Transcript.ts"
import type { ApplicationMessage, HistoryMessage } from "../protocol/Message.ts"
import type { ToolCall } from "../protocol/Tool.ts"
import type { StopReason } from "../protocol/Turn.ts"
import type { TurnEvent } from "../protocol/TurnEvent.ts"

/** A message, or the place of a result that the server is still to tell. */
type Place = HistoryMessage | { readonly role: "awaited"; readonly toolCallId: string }

/**
 * What a client knows of its conversation: what is whole, and the turn that is being told. `answered` are the calls that it
 * has sent an answer for; `decided` those of them that the server is to tell the outcome of.
 */
export interface Conversation {
  readonly before: ReadonlyArray<Place>
  readonly turn: Transcript.Transcript
  readonly answered: ReadonlySet<string>
  readonly decided: ReadonlySet<string>
}

/** A conversation that stands in a history. */
export const make = (history: ReadonlyArray<HistoryMessage>): Conversation => ({
  before: history,
  turn: Transcript.empty,
  answered: new Set(),
  decided: new Set()
})

const callsOf = (message: HistoryMessage): ReadonlyArray<ToolCall> =>
  message.role !== "assistant" || typeof message.content === "string"
    ? []
    : message.content.flatMap((block) => {
        if (block.type !== "tool_use") return []
        const { type: _, ...call } = block
        return [call]
      })

/** Results that were told before their calls, right behind them. */
const inOrder = (messages: ReadonlyArray<HistoryMessage>): ReadonlyArray<HistoryMessage> => {
  const called = new Set(messages.flatMap(callsOf).map(({ toolCallId }) => toolCallId))
  const early = new Map<string, HistoryMessage>()
  return messages.flatMap((message) => {
    if (message.role === "tool" && called.has(message.toolCallId)) {
      early.set(message.toolCallId, message)
      return []
    }
    const calls = callsOf(message)
    for (const { toolCallId } of calls) called.delete(toolCallId)
    return [message, ...calls.flatMap(({ toolCallId }) => early.get(toolCallId) ?? [])]
  })
}

/** All that was said, what is unfinished included. */
export const messages = ({ before, turn }: Conversation): ReadonlyArray<HistoryMessage> =>
  inOrder([...before.filter((place) => place.role !== "awaited"), ...Transcript.messages(turn)])

const denial = (toolCallId: string, reason: string | undefined): HistoryMessage => ({
  role: "tool",
  toolCallId,
  content: reason === undefined ? "Tool call denied" : `Tool call denied: ${reason}`
})

const toPlace = (message: ApplicationMessage): Place => {
  if (message.role !== "tool_permission") return message
  return message.granted
    ? { role: "awaited", toolCallId: message.toolCallId }
    : denial(message.toolCallId, message.reason)
}

/** The conversation with what the application sends. */
export const send = (conversation: Conversation, sent: ReadonlyArray<ApplicationMessage>): Conversation => {
  const answers = sent.filter((message) => message.role !== "user")
  const decided = answers.filter((message) => message.role === "tool_permission")
  const idsOf = (messages: typeof answers) => messages.map(({ toolCallId }) => toolCallId)
  return {
    before: [...conversation.before, ...Transcript.messages(conversation.turn), ...sent.map(toPlace)],
    turn: Transcript.empty,
    answered: new Set([...conversation.answered, ...idsOf(answers)]),
    decided: new Set([...conversation.decided, ...idsOf(decided)])
  }
}

/**
 * The conversation with what the server has of it, up to what was sent last: what comes behind is being told. Where the
 * server does not have that, what is known here stays.
 */
export const settle = (conversation: Conversation, history: ReadonlyArray<HistoryMessage>): Conversation => {
  const last = conversation.before.at(-1)
  const end = history.findLastIndex((message) => Equal.equals(message, last))
  return end === -1 ? conversation : { ...conversation, before: history.slice(0, end + 1) }
}

/** The conversation with what the server tells: the outcome of a decided call in the place of its decision. */
export const hear = (conversation: Conversation, event: TurnEvent): Conversation => {
  if (event.event !== "tool_result" || !conversation.decided.has(event.data.toolCallId)) {
    return { ...conversation, turn: Transcript.apply(conversation.turn, event) }
  }
  const { toolCallId } = event.data
  const result: HistoryMessage = { role: "tool", ...event.data }
  const isIts = (place: Place) => (place.role === "awaited" || place.role === "tool") && place.toolCallId === toolCallId
  return {
    ...conversation,
    before: conversation.before.map((place) => (isIts(place) ? result : place)),
    decided: new Set([...conversation.decided].filter((id) => id !== toolCallId))
  }
}

/**
 * The calls since the user last spoke that nobody has answered, in order, each once though it was told twice, wherever their
 * results might stand.
 */
export const open = (conversation: Conversation): ReadonlyArray<ToolCall> => {
  const all = messages(conversation)
  const since = all.slice(all.findLastIndex(({ role }) => role === "user") + 1)
  const closed = new Set(since.flatMap((message) => (message.role === "tool" ? [message.toolCallId] : [])))
  const calls = new Map(since.flatMap(callsOf).map((call) => [call.toolCallId, call]))
  return [...calls.values()].filter(
    ({ toolCallId }) => !closed.has(toolCallId) && !conversation.answered.has(toolCallId)
  )
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
