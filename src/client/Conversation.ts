import { Equal } from "effect"
import * as ToolOutcome from "../history/ToolOutcome.ts"
import * as Transcript from "../history/Transcript.ts"
import type { ApplicationMessage, HistoryMessage } from "../protocol/Message.ts"
import type { ToolCall } from "../protocol/Tool.ts"
import type { StopReason } from "../protocol/Turn.ts"
import type { TurnEvent } from "../protocol/TurnEvent.ts"

/** A message, or the place of a result that the server is still to tell. */
type Place = HistoryMessage | { readonly role: "awaited"; readonly toolCallId: string }

/**
 * What a client knows of its conversation: what is whole, and the turn that is being told. `decided` are the calls that it
 * has decided on, and that the server is to tell the outcome of.
 *
 * 1. A call that is told again before its result was is the same call. After that it is another one, though it has the same
 *    id: some models count anew in each step.
 * 2. The outcome of a decided call stands where its decision was sent, however late it is told.
 * 3. A result that is told before its call stands behind it.
 */
export interface Conversation {
  readonly before: ReadonlyArray<Place>
  readonly turn: Transcript.Transcript
  readonly decided: ReadonlySet<string>
}

/** A conversation that stands in a history. */
export const make = (history: ReadonlyArray<HistoryMessage>): Conversation => ({
  before: history,
  turn: Transcript.empty,
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
  content: ToolOutcome.denialText(reason)
})

const toPlace = (message: ApplicationMessage): Place => {
  if (message.role !== "tool_permission") return message
  return message.granted
    ? { role: "awaited", toolCallId: message.toolCallId }
    : denial(message.toolCallId, message.reason)
}

/** The conversation with what the application sends. */
export const send = (conversation: Conversation, sent: ReadonlyArray<ApplicationMessage>): Conversation => {
  const decided = sent.flatMap((message) => (message.role === "tool_permission" ? [message.toolCallId] : []))
  return {
    before: [...conversation.before, ...Transcript.messages(conversation.turn), ...sent.map(toPlace)],
    turn: Transcript.empty,
    decided: new Set([...conversation.decided, ...decided])
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

/** Whether a call was answered here, though its result may be still to come. */
const isOutcome = (place: Place): place is Extract<Place, { readonly role: "awaited" | "tool" }> =>
  place.role === "awaited" || place.role === "tool"

/**
 * The calls since the user last spoke that nobody has answered, in order, wherever their results might stand; one that was
 * told again before its result is the one that was told first.
 */
export const open = ({ before, turn }: Conversation): ReadonlyArray<ToolCall> => {
  const places = [...before, ...Transcript.messages(turn)]
  const since = places.slice(places.findLastIndex(({ role }) => role === "user") + 1)
  const waiting = new Map<string, ToolCall>()
  const early = new Map<string, number>()
  for (const place of since) {
    if (isOutcome(place)) {
      const { toolCallId } = place
      if (!waiting.delete(toolCallId)) early.set(toolCallId, (early.get(toolCallId) ?? 0) + 1)
      continue
    }
    for (const call of callsOf(place)) {
      const left = early.get(call.toolCallId) ?? 0
      if (left > 0) early.set(call.toolCallId, left - 1)
      else if (!waiting.has(call.toolCallId)) waiting.set(call.toolCallId, call)
    }
  }
  return [...waiting.values()]
}

/** Whether a call of this id waits for its answer, or for what comes of it. */
const isPending = (conversation: Conversation, { toolCallId }: ToolCall): boolean =>
  conversation.decided.has(toolCallId) || open(conversation).some((call) => call.toolCallId === toolCallId)

/** The conversation with what the server tells: the outcome of a decided call in the place of its decision. */
export const hear = (conversation: Conversation, event: TurnEvent): Conversation => {
  if (event.event === "tool_call" && isPending(conversation, event.data)) return conversation
  if (event.event !== "tool_result" || !conversation.decided.has(event.data.toolCallId)) {
    return { ...conversation, turn: Transcript.apply(conversation.turn, event) }
  }
  const { toolCallId } = event.data
  const result: HistoryMessage = { role: "tool", ...event.data }
  const at = conversation.before.findLastIndex((place) => isOutcome(place) && place.toolCallId === toolCallId)
  return {
    ...conversation,
    before: at === -1 ? conversation.before : conversation.before.with(at, result),
    decided: new Set([...conversation.decided].filter((id) => id !== toolCallId))
  }
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
