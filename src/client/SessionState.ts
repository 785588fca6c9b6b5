import { Equal } from "effect"
import type { ApplicationMessage, HistoryMessage } from "../protocol/Message.ts"
import type { ToolCall, ToolResult } from "../protocol/Tool.ts"
import type { AgentOverrides, StopReason } from "../protocol/Turn.ts"
import type { TurnEvent } from "../protocol/TurnEvent.ts"
import type { TurnInput } from "./AgentClient.ts"
import * as Conversation from "./Conversation.ts"

/**
 * What an application knows of its session.
 *
 * 1. What was sent counts as said only once its turn has begun: a turn that is refused leaves the conversation as it was.
 * 2. What goes with a turn goes with the next one until one has begun, and with none after that.
 * 3. A stream that was left, or failed, leaves the server with more, or less, than is known here: the state is `stale` until
 *    the history is read. A turn that broke off may still have been ending then, so that it is `unsure` until the next turn
 *    has begun.
 * 4. What came of a call of the application's own tools is kept until a turn has begun with it, and for that call alone: it is
 *    sent again, and the tool not run again, where a turn was left or failed.
 */
export interface SessionState {
  readonly conversation: Conversation.Conversation
  readonly freshness: "known" | "stale" | "unsure"
  readonly isRunning: boolean
  /** What goes with the next turn that begins: the application's tools, and how the agent is set up from then on. */
  readonly toTell: Pick<TurnInput, "agent" | "tools">
  /** The conversation without what was sent last, until its turn has begun. */
  readonly before: Conversation.Conversation | undefined
  /** How the latest turn has stopped. */
  readonly stopReason: StopReason | undefined
  /** What came of calls, of which the server has not been told for certain. */
  readonly results: ReadonlyArray<CallResult>
}

/** What came of a call of one of the application's own tools. */
export interface CallResult {
  readonly call: ToolCall
  readonly content: ToolResult["content"]
}

/** A session that stands in a history, and what its server is still to be told. */
export const make = (history: ReadonlyArray<HistoryMessage>, toTell: SessionState["toTell"]): SessionState => ({
  conversation: Conversation.make(history),
  freshness: "known",
  isRunning: false,
  toTell,
  before: undefined,
  stopReason: undefined,
  results: []
})

/** A tool of the application has run. */
export const ran = (state: SessionState, result: CallResult): SessionState => ({
  ...state,
  results: [...state.results, result]
})

/** What came of a call where its tool has run already. */
export const resultOf = ({ results }: SessionState, call: ToolCall): CallResult | undefined =>
  results.find((result) => Equal.equals(result.call, call))

/** A stream begins. */
export const begin = (state: SessionState): SessionState => ({ ...state, isRunning: true })

/** The stream that ran has come to its end. */
export const finish = (state: SessionState): SessionState => ({ ...state, isRunning: false })

/** The stream that ran is over, by its end or otherwise. */
export const leave = (state: SessionState): SessionState =>
  state.isRunning ? { ...state, isRunning: false, freshness: "stale" } : state

/** The history was read. Results are of use as long as it has their calls open. */
export const reload = (state: SessionState, history: ReadonlyArray<HistoryMessage>): SessionState => {
  const conversation = Conversation.make(history)
  const open = Conversation.open(conversation)
  const results = state.results.filter(({ call }) => open.some((other) => Equal.equals(other, call)))
  return { ...state, conversation, results, freshness: "unsure" }
}

/** The history was read once the next turn had begun: the turn that broke off has ended for certain. */
export const settle = (state: SessionState, history: ReadonlyArray<HistoryMessage>): SessionState => ({
  ...state,
  conversation: Conversation.settle(state.conversation, history),
  freshness: "known"
})

/** How the agent is to be set up from the next turn on, in the place of what was still to be told of that. */
export const change = (state: SessionState, agent: AgentOverrides | undefined): SessionState =>
  agent === undefined ? state : { ...state, toTell: { ...state.toTell, agent } }

/** A turn is asked for with these messages. */
export const send = (state: SessionState, messages: ReadonlyArray<ApplicationMessage>): SessionState => ({
  ...state,
  conversation: Conversation.send(state.conversation, messages),
  before: state.conversation,
  stopReason: undefined
})

/** The turn that was asked for has failed. */
export const fail = (state: SessionState): SessionState => ({
  ...state,
  conversation: state.before ?? state.conversation,
  before: undefined
})

/** The server tells. With the first that it tells of a turn it has what was sent. */
export const hear = (state: SessionState, event: TurnEvent): SessionState => ({
  ...state,
  results: state.before === undefined ? state.results : [],
  conversation: Conversation.hear(state.conversation, event),
  toTell: {},
  before: undefined,
  stopReason: event.event === "turn_stop" ? event.data.stopReason : state.stopReason
})

/** The calls that the application is to answer now that its turn has stopped. */
export const owed = (
  { conversation, stopReason = "end_turn" }: SessionState,
  isOwn: (call: ToolCall) => boolean
): ReadonlyArray<ToolCall> => Conversation.owed(conversation, stopReason, isOwn)

/** Whether the server waits for answers to calls that it has not told. */
export const isUntold = ({ conversation, stopReason }: SessionState): boolean =>
  stopReason === "tool_use" && Conversation.open(conversation).length === 0
