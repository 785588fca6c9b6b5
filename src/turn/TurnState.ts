import * as Closing from "../history/Closing.ts"
import * as CompactedHistory from "../history/CompactedHistory.ts"
import type { HistoryEntry } from "../history/HistoryEntry.ts"
import type { PendingCall } from "../history/PendingCall.ts"
import * as Slot from "../history/Slot.ts"
import type { ToolCall } from "../protocol/Tool.ts"
import type { TurnEvent } from "../protocol/TurnEvent.ts"
import type { Commit } from "../session/SessionStore.ts"
import * as Step from "./Step.ts"

/**
 * Where a turn stands. `conversation` is what the store has; `step` is what the model has said since, and is
 * `undefined` between steps; `started` are the ids of calls whose tool has begun to run, `untold` the results that are
 * stored and whose events are still to come, `open` the calls of the last step that wait for the application.
 */
export interface TurnState {
  readonly conversation: CompactedHistory.CompactedHistory
  readonly step: Step.Step | undefined
  readonly started: ReadonlySet<string>
  readonly untold: ReadonlySet<HistoryEntry>
  readonly open: ReadonlyArray<PendingCall>
}

const none: ReadonlySet<never> = new Set()

/** A turn whose application has been heard, and that has said nothing yet. */
export const initial = (conversation: CompactedHistory.CompactedHistory): TurnState => ({
  conversation,
  step: undefined,
  started: none,
  untold: none,
  open: []
})

/** The event that tells a result. */
export const toolResult = (entry: HistoryEntry): ReadonlyArray<TurnEvent> =>
  entry.message.role === "tool"
    ? [{ event: "tool_result", data: { toolCallId: entry.message.toolCallId, content: entry.message.content } }]
    : []

/** The state once a step is stored. */
export const endStep = (
  state: TurnState,
  append: ReadonlyArray<Slot.Slot>,
  open: ReadonlyArray<PendingCall>
): TurnState => ({
  ...state,
  open,
  conversation: CompactedHistory.append(state.conversation, append),
  step: undefined
})

/** The state once the result of a running call is stored. */
export const settle = (state: TurnState, result: HistoryEntry): TurnState => ({
  ...state,
  conversation: CompactedHistory.settle(state.conversation, result),
  untold: new Set(state.untold).add(result)
})

/** The state once a result was told. */
export const tell = (state: TurnState, result: HistoryEntry): TurnState => ({
  ...state,
  untold: new Set([...state.untold].filter((other) => other !== result))
})

/** What ends a turn at once: what to store, what to tell once it is stored, and what to tell where it could not be. */
export interface Abandoned {
  readonly commit: Commit
  readonly events: ReadonlyArray<TurnEvent>
  readonly storedEvents: ReadonlyArray<TurnEvent>
}

/**
 * How to end a turn at once, wherever it stands.
 *
 * 1. What the model has said is kept, blank text aside.
 * 2. Every call that was announced and has no result is closed, with the reason.
 * 3. Results that are stored are told.
 * 4. The lease is given back.
 */
export const abandon = (state: TurnState, provider: string): Abandoned => {
  const close = (call: ToolCall) => Closing.close(call, state.started.has(call.toolCallId) ? "interrupted" : "notRun")
  const owed = state.conversation.tail.flatMap((slot) =>
    slot._tag === "Running"
      ? [{ settle: [close(slot.call.call)], tell: close(slot.call.call) }]
      : state.untold.has(slot.entry)
        ? [{ settle: [], tell: slot.entry }]
        : []
  )
  const unanswered = state.open.map(({ call }) => close(call))
  const [step, said] = state.step === undefined ? [undefined, []] : Step.flush(state.step)
  const entry = step === undefined ? undefined : Step.toEntry(step, provider)
  const closed = (step?.calls ?? []).map(({ call }) => close(call))
  const append = [...(entry === undefined ? [] : [entry]), ...closed].map(Slot.entry)
  return {
    commit: { settle: [...owed.flatMap(({ settle }) => settle), ...unanswered], append, release: true },
    events: [
      ...owed.flatMap(({ tell }) => toolResult(tell)),
      ...unanswered.flatMap(toolResult),
      ...said,
      ...closed.flatMap(toolResult)
    ],
    storedEvents: [...state.untold].flatMap(toolResult)
  }
}
