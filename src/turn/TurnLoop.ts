import { type Cause, Effect, Option, Scope, Stream } from "effect"
import * as Arr from "effect/Array"
import type { CatalogedAgent } from "../agent/AgentCatalog.ts"
import * as Agent from "../agent/Agent.ts"
import type * as SessionSetup from "../agent/SessionSetup.ts"
import * as Closing from "../history/Closing.ts"
import { type HistoryEntry, make as entry } from "../history/HistoryEntry.ts"
import type { Ids } from "../history/Ids.ts"
import type { PendingCall } from "../history/PendingCall.ts"
import * as CompactedHistory from "../history/CompactedHistory.ts"
import * as Slot from "../history/Slot.ts"
import * as SpokenText from "../history/SpokenText.ts"
import type { ChatModel, ModelEvent, Usage } from "../model/ChatModel.ts"
import { ModelError } from "../model/ModelError.ts"
import * as Retry from "../model/Retry.ts"
import * as StreamPull from "../model/StreamPull.ts"
import * as TokenUsage from "../model/TokenUsage.ts"
import type { StopReason } from "../protocol/Turn.ts"
import type { TurnEvent } from "../protocol/TurnEvent.ts"
import type { LeaseKeeper } from "../session/LeaseKeeper.ts"
import type { Principal } from "../session/Session.ts"
import type { AcceptedTurn, Commit, Lease, SessionStore } from "../session/SessionStore.ts"
import * as SafeSpan from "../telemetry/SafeSpan.ts"
import * as ToolCalls from "../tool/ToolCalls.ts"
import type { ToolRegistry } from "../tool/ToolRegistry.ts"
import type { Compactor } from "./Compaction.ts"
import * as Stages from "./Stages.ts"
import * as Step from "./Step.ts"
import * as Toolbox from "./Toolbox.ts"
import type { Turn } from "./TurnRunner.ts"
import * as TurnCompaction from "./TurnCompaction.ts"
import * as TurnFailure from "./TurnFailure.ts"
import * as TurnLog from "./TurnLog.ts"
import * as TurnState from "./TurnState.ts"
import * as TurnTrace from "./TurnTrace.ts"
import * as TurnWriter from "./TurnWriter.ts"

/** How many tools of one step run at the same time. */
const toolConcurrency = 16

/** A part of the turn's stream. */
type Stage = Stages.Stage<TurnEvent, TurnFailure.TurnFailure>

const unfinished = new ModelError({
  reason: "bad_response",
  message: "the model's stream ended without a finish",
  retryable: false
})

/** What a turn is made of. */
export interface TurnParts {
  readonly owner: Principal
  readonly agent: CatalogedAgent
  readonly setup: SessionSetup.SessionSetup
  readonly accepted: AcceptedTurn
  /** Places of server calls that the application decided on, in order: answered already, or to be run. */
  readonly decided: ReadonlyArray<Slot.Slot>
}

/** The ports that a turn works with. */
export interface TurnPorts {
  readonly model: ChatModel["Service"]
  readonly tools: ToolRegistry["Service"]
  readonly store: SessionStore["Service"]
  readonly leases: LeaseKeeper
  readonly ids: Effect.Success<typeof Ids>
  readonly compactor: Compactor
}

const stop = (stopReason: StopReason): TurnEvent => ({ event: "turn_stop", data: { stopReason } })

/** The id of a turn: its session's, and the fencing token that it alone ever held there. */
const turnId = ({ fence, sessionId }: Lease): string => `${sessionId}.${fence}`

/**
 * The turn, as a stream of its events.
 *
 * 1. `turn_start` first, `turn_stop` last, one of each, whatever fails between.
 * 2. What is told is stored first: a result before its event, a step before the next, all before `turn_stop`. What a turn
 *    that breaks off leaves is told if it could be stored.
 * 3. The lease is given back before `turn_stop` is told, so that the application's next turn finds it free.
 * 4. All calls of a step are told before any of their results; results are told in the order of their calls.
 *
 * What is defined here is held while the stream is open, a thousand times for a thousand streams. So it is functions that make
 * an effect when they are called: an effect made before weighs several times as much, and so does what `Effect.fn` gives.
 */
export const make = (ports: TurnPorts, parts: TurnParts): Pick<Turn, "events" | "abandon" | "within"> => {
  const { compactor, ids, leases, model, store, tools } = ports
  const { accepted, agent, decided, owner, setup } = parts
  const { history, lease, session } = accepted
  const toolbox = Toolbox.make(agent, setup)
  const options = Agent.optionValues(agent.agent, setup.options)
  const frame = {
    model: Agent.model(agent.agent, options),
    system: Agent.instructions(agent.agent, options),
    tools: toolbox.specs,
    ...(agent.agent.maxTokens === undefined ? {} : { maxTokens: agent.agent.maxTokens })
  }
  let state = TurnState.initial(history)
  let stopped: StopReason | undefined
  let taken: Usage | undefined
  const trace = TurnTrace.make({ agent: agent.agent.name, sessionId: session.id, turnId: turnId(lease) })

  const nextCallId = () => ids.next("call")

  const { settleUnsure, write } = TurnWriter.make(store, lease)

  const commit = (change: Commit, next: (state: TurnState.TurnState) => TurnState.TurnState) =>
    trace.within(
      write(change, () => {
        state = next(state)
      })
    )

  const compaction = TurnCompaction.make(compactor, session.id, frame, (conversation) =>
    commit({ cut: conversation.cut }, (state) => ({ ...state, conversation }))
  )

  const finish = (reason: StopReason, append: ReadonlyArray<Slot.Slot>, open: ReadonlyArray<PendingCall> = []) =>
    commit({ append, open, release: true, stopReason: reason }, (state) => {
      stopped = reason
      return TurnState.endStep(state, append, open)
    }).pipe(Effect.andThen(leases.giveBack(lease)), Effect.as(stop(reason)))

  const runCall = ({ call, rejection }: Step.AnnouncedCall) =>
    Effect.gen(function* () {
      state = { ...state, started: new Set(state.started).add(call.toolCallId) }
      const context = { toolCallId: call.toolCallId, sessionId: session.id, principal: owner }
      const content = rejection ?? (yield* trace.within(tools.run(call, context)))
      if (rejection !== undefined) yield* ToolCalls.count("rejected")
      const result: HistoryEntry = entry({ role: "tool", toolCallId: call.toolCallId, content })
      yield* commit({ settle: [result] }, (state) => TurnState.settle(state, result))
      return result
    })

  /** A call that waits for permission though its input does not fit is answered at once: nobody is asked in vain. */
  const screen = (announced: Step.AnnouncedCall) =>
    announced.answerer === "permission"
      ? Effect.map(tools.check(announced.call), (flaw) =>
          flaw === undefined ? announced : Step.reject(announced, flaw)
        )
      : Effect.succeed(announced)

  /** Settles calls side by side, and tells their results in order. */
  const results = <A, E>(calls: ReadonlyArray<A>, run: (call: A) => Effect.Effect<HistoryEntry, E>) =>
    Stream.fromArray(calls).pipe(
      Stream.mapEffect(run, { concurrency: toolConcurrency }),
      Stream.map((result) => {
        state = TurnState.tell(state, result)
        return TurnState.toolResult(result)
      }),
      Stream.flattenIterable
    )

  const hear = (chunk: ReadonlyArray<ModelEvent>): ReadonlyArray<TurnEvent> => {
    const [step, told] = Step.applyAll(state.step ?? Step.initial, chunk, toolbox, nextCallId)
    state = { ...state, step }
    trace.hear(chunk)
    return told
  }

  const listen = trace.streamWithin(() => {
    state = { ...state, step: Step.initial }
    return model.stream({ ...frame, history: CompactedHistory.entries(state.conversation) })
  })

  const mend = (error: ModelError) =>
    error.reason === "context_overflow"
      ? trace.within(compaction.afterOverflow(state.conversation))
      : Effect.succeed(false)

  /** What the model's events tell, chunk by chunk. */
  const told = (pull: StreamPull.StreamPull<ModelEvent, TurnFailure.TurnFailure>) => {
    const next: StreamPull.StreamPull<TurnEvent, TurnFailure.TurnFailure> = Effect.flatMap(pull, (chunk) => {
      const events = hear(chunk)
      return Arr.isReadonlyArrayNonEmpty(events) ? Effect.succeed(events) : next
    })
    return Effect.succeed(next)
  }

  const step = (count: number): Effect.Effect<Stage, TurnFailure.TurnFailure> =>
    Effect.gen(function* () {
      const limit = agent.agent.stepLimit
      if (count > limit) return yield* new TurnFailure.StepLimitReached({ limit })
      yield* trace.step(count)
      yield* trace.within(Effect.suspend(() => compaction.beforeStep(state.conversation)))
      return {
        stream: Stream.transformPull(Retry.beforeFirstDelta(listen, Retry.defaultPolicy, mend), told),
        next: Effect.suspend(() => afterStep(count))
      }
    })

  /** Tells what the step took: on the turn's span all steps so far, in the metrics this one. */
  const account = ({ provider = model.provider, usage }: NonNullable<Step.Step["finish"]>): Effect.Effect<void> => {
    if (usage === undefined) return Effect.void
    compaction.learn(state.conversation, usage)
    taken = TokenUsage.add(taken, usage)
    trace.annotate(TokenUsage.attributes(taken))
    return TokenUsage.record(provider, usage)
  }

  const afterStep = (count: number): Effect.Effect<Stage, TurnFailure.TurnFailure> =>
    Effect.gen(function* () {
      const heard = state.step ?? Step.initial
      if (heard.finish === undefined) return yield* unfinished
      yield* account(heard.finish)
      const said = Option.toArray(Option.map(Option.fromUndefinedOr(Step.toEntry(heard, model.provider)), Slot.entry))
      const reason = Step.stopReason(heard)
      if (reason !== undefined) {
        const closed = heard.calls.map(({ call }) => Closing.close(call, "notRun"))
        const last = yield* finish(reason, [...said, ...closed.map(Slot.entry)])
        return Stages.last([...closed.flatMap(TurnState.toolResult), last])
      }
      const calls = yield* Effect.forEach(heard.calls, screen)
      const owed = calls.filter((call) => call.answerer === "running")
      const open = calls.filter((call) => call.answerer !== "running").map(Step.toPending)
      yield* Effect.forEach(open, ({ answerer }) => ToolCalls.count(answerer === "client" ? "client" : "permission"))
      if (owed.length === 0) return Stages.last([yield* finish("tool_use", said, open)])
      const append = [...said, ...owed.map((call) => Slot.running(Step.toPending(call)))]
      yield* commit({ append, open }, (state) => TurnState.endStep(state, append, open))
      const pause = Effect.suspend(() => Effect.map(finish("tool_use", []), (last) => Stages.last([last])))
      return { stream: results(owed, runCall), next: open.length === 0 ? step(count + 1) : pause }
    })

  const end = (reason: StopReason): Effect.Effect<ReadonlyArray<TurnEvent>> =>
    Effect.gen(function* () {
      const unsettled = yield* Effect.option(Effect.flip(settleUnsure))
      if (stopped !== undefined) return [stop(stopped)]
      stopped = reason
      const { commit, events, storedEvents } = TurnState.abandon(state, model.provider)
      const told = yield* Option.match(unsettled, {
        onNone: () => write({ ...commit, stopReason: reason }, () => undefined),
        onSome: Effect.fail
      }).pipe(
        Effect.as(events),
        Effect.catchTag("LeaseLost", ({ message }) => Effect.as(Effect.logDebug(message), storedEvents)),
        Effect.catchCause((cause) =>
          Effect.as(Effect.logError("what a turn left could not be stored", cause), storedEvents)
        )
      )
      return [...told, stop(reason)]
    }).pipe(Effect.uninterruptible, trace.within)

  const decide = (slot: Slot.Slot) => (slot._tag === "Running" ? runCall(slot.call) : Effect.succeed(slot.entry))

  const afterStart = Effect.sync((): Stage => ({ stream: results(decided, decide), next: step(1) }))

  const recover = (cause: Cause.Cause<TurnFailure.TurnFailure>) =>
    trace
      .within(Effect.logWarning("a turn failed", cause))
      .pipe(
        Effect.andThen(trace.fail(SafeSpan.errorType(cause, TurnFailure.errorType))),
        Effect.andThen(end(TurnFailure.stopReason(cause))),
        Effect.map(Stages.last<TurnEvent>)
      )

  const begin = (scope: Scope.Scope) =>
    Effect.gen(function* () {
      yield* Scope.addFinalizer(
        scope,
        Effect.suspend(() => trace.end(stopped))
      )
      yield* trace.begin
      yield* Scope.provide(leases.keep(lease), scope)
      const start = Effect.sync(
        (): Stage => ({ stream: Stream.succeed<TurnEvent>({ event: "turn_start", data: {} }), next: afterStart })
      )
      return yield* StreamPull.make(Stages.run(start, recover), scope)
    })

  return {
    events: StreamPull.toStream(begin),
    abandon: Effect.suspend(() => end("error")),
    within: TurnLog.within({ sessionId: session.id, turnId: turnId(lease) }, () => ({
      said: [
        ...CompactedHistory.entries(state.conversation),
        ...Option.toArray(Option.fromUndefinedOr(state.step && Step.toEntry(state.step, model.provider)))
      ].flatMap(({ message }) => SpokenText.ofMessage(message)),
      secrets: Agent.secrets(agent.agent, options)
    }))
  }
}
