import { Array as Arr, Effect, Ref, Stream } from "effect"
import type { AgentConfig } from "../protocol/Agent.ts"
import type { InputContent } from "../protocol/Content.ts"
import type { ApplicationMessage, HistoryMessage } from "../protocol/Message.ts"
import type { SessionId } from "../protocol/Session.ts"
import type { ToolCall, ToolResult } from "../protocol/Tool.ts"
import type { AgentOverrides, StreamMode } from "../protocol/Turn.ts"
import type { TurnEvent } from "../protocol/TurnEvent.ts"
import { AgentClient } from "./AgentClient.ts"
import { type AgentError, SessionBusy, type SessionError, TooManyTurns, type TurnUnfinished } from "./AgentError.ts"
import * as ClientTool from "./ClientTool.ts"
import * as Conversation from "./Conversation.ts"
import { denyAll, type Permission, type Permit } from "./Permit.ts"
import * as SessionState from "./SessionState.ts"

export { denyAll, grantAll, type Permission, type Permit } from "./Permit.ts"

/** What happens in a session: what the server tells, and what the application answers. */
export type SessionEvent =
  | TurnEvent
  | { readonly event: "client_result"; readonly data: ToolResult }
  | { readonly event: "permission"; readonly data: Permission & { readonly toolCallId: string } }

/** An event, and the whole conversation as it stands with it. */
export interface Update {
  readonly event: SessionEvent
  readonly messages: () => ReadonlyArray<HistoryMessage>
}

/** How a session is run. */
export interface SessionOptions<R> {
  /** The application's own tools. */
  readonly tools?: ReadonlyArray<ClientTool.ClientTool<R>>
  /** Decides on calls of tools that the server runs, and that it waits with; {@link denyAll} by default. */
  readonly permit?: Permit<R>
  /** How turns are streamed; `delta` by default. */
  readonly stream?: StreamMode
  /** How many turns the agent may take for one message, each ending in calls; fifty by default. */
  readonly turnLimit?: number
}

/** What changes in a session with what is said. */
export interface SessionChange {
  readonly agent?: AgentOverrides
  /** Why calls that were left open are not run: they are told so in the turn of what is said, and nobody is asked. */
  readonly notRun?: string
}

/**
 * A session as an application holds it. One stream of it runs at a time.
 *
 * 1. Calls of the application's tools are run, and permission is asked, side by side; all answers go back together, and the
 *    agent goes on, until it has nothing more to ask.
 * 2. A stream that fails or is interrupted leaves the session to be gone on with: what the server has is read anew, and what
 *    tools gave that have run is sent then; they do not run again, but for those that were interrupted.
 */
export interface ClientSession<out R = never> {
  readonly id: SessionId
  /**
   * Says something, and runs the agent to its end. Calls that were left open are answered first, in turns of their own, or
   * with `notRun` are told as not run. `agent` changes how the agent is set up, for good: `tools` replaces what it may use,
   * `options` changes those that it names.
   */
  readonly say: (content: InputContent, change?: SessionChange) => Stream.Stream<Update, SessionError, R>
  /** Answers the calls that were left open, and runs the agent to its end; empty where none were. */
  readonly goOn: Stream.Stream<Update, SessionError, R>
  /** The conversation so far. */
  readonly messages: Effect.Effect<ReadonlyArray<HistoryMessage>>
  /** Calls that wait for the application. */
  readonly openCalls: Effect.Effect<ReadonlyArray<ToolCall>>
}

const toolConcurrency = 16

type Updates<R> = Stream.Stream<Update, SessionError, R>

const isPendingCalls = (error: SessionError): boolean =>
  error._tag === "RequestRefused" && error.code === "pending_tool_calls"

interface Answer {
  readonly event: SessionEvent
  readonly message: ApplicationMessage
}

const result = (toolCallId: string, content: ToolResult["content"]): Answer => ({
  event: { event: "client_result", data: { toolCallId, content } },
  message: { role: "tool", toolCallId, content }
})

const decision = (toolCallId: string, decided: Permission): Answer => ({
  event: { event: "permission", data: { toolCallId, ...decided } },
  message: { role: "tool_permission", toolCallId, ...decided }
})

const toUpdate =
  ({ conversation }: SessionState.SessionState) =>
  (event: SessionEvent): Update => ({ event, messages: () => Conversation.messages(conversation) })

/** The stop of a turn whose server does not tell it; a turn that never began has none. */
const presumedStop =
  (error: TurnUnfinished) =>
  ({ before, conversation }: SessionState.SessionState): Stream.Stream<TurnEvent, TurnUnfinished> =>
    before === undefined
      ? Stream.succeed({ event: "turn_stop", data: { stopReason: Conversation.presumedStop(conversation) } })
      : Stream.fail(error)

const make = Effect.fnUntraced(function* <R>(
  id: SessionId,
  history: ReadonlyArray<HistoryMessage>,
  options: SessionOptions<R>,
  toTell: SessionState.SessionState["toTell"]
): Effect.fn.Return<ClientSession<R>, never, AgentClient> {
  const client = yield* AgentClient
  const { permit = denyAll, stream = "delta", tools = [], turnLimit = 50 } = options
  const byName = new Map(tools.map((tool) => [tool.spec.name, tool]))
  const isOwn = ({ name }: ToolCall) => byName.has(name)
  const state = yield* Ref.make(SessionState.make(history, toTell))

  /** Runs a tool, and keeps what came of it before anything can be interrupted. */
  const run = (tool: ClientTool.ClientTool<R>, call: ToolCall) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.tap(restore(tool.run(call)), (content) =>
        Ref.update(state, (state) => SessionState.ran(state, { call, content }))
      )
    )

  const answer = Effect.fnUntraced(function* (call: ToolCall): Effect.fn.Return<Answer, never, R> {
    const { toolCallId } = call
    const tool = byName.get(call.name)
    if (tool === undefined) return decision(toolCallId, yield* permit(call))
    const kept = SessionState.resultOf(yield* Ref.get(state), call)
    return result(toolCallId, kept === undefined ? yield* run(tool, call) : kept.content)
  })

  /** What a call is told that nobody answers any more; one that has run all the same is told what came of it. */
  const refusal =
    (reason: string, state: SessionState.SessionState) =>
    (call: ToolCall): Answer =>
      isOwn(call)
        ? result(call.toolCallId, SessionState.resultOf(state, call)?.content ?? `Tool call not run: ${reason}`)
        : decision(call.toolCallId, { granted: false, reason })

  /** Answers calls that `taken` turns have left open, and takes the turns that go on with the answers. */
  const answerAll = (calls: ReadonlyArray<ToolCall>, taken: number): Updates<R> =>
    Stream.suspend(() => {
      if (calls.length === 0) return Stream.empty
      if (taken >= turnLimit) return Stream.fail(new TooManyTurns({ limit: turnLimit }))
      const messages: Array<ApplicationMessage> = []
      return Stream.fromIterable(calls).pipe(
        Stream.mapEffect(answer, { concurrency: toolConcurrency }),
        Stream.mapEffect(({ event, message }) => {
          messages.push(message)
          return Effect.map(Ref.get(state), (state) => toUpdate(state)(event))
        }),
        Stream.concat(Stream.suspend(() => turns(messages, taken)))
      )
    })

  const reload = Effect.flatMap(client.history(id), (history) =>
    Ref.update(state, (state) => SessionState.reload(state, history))
  )

  const settle = client.history(id).pipe(
    Effect.flatMap((history) => Ref.update(state, (state) => SessionState.settle(state, history))),
    Effect.ignore
  )

  /** Events are taken in as they come in the answer's pieces; each update has the conversation as it stood with its event. */
  const hearAll = (events: Arr.NonEmptyReadonlyArray<TurnEvent>) =>
    Ref.modify(state, (state) => {
      const [now, updates] = Arr.mapAccum(events, state, (before, event) => {
        const now = SessionState.hear(before, event)
        return [now, toUpdate(now)(event)]
      })
      return [updates, now]
    })

  const turn = (messages: ReadonlyArray<ApplicationMessage>): Updates<never> =>
    Stream.unwrap(
      Effect.gen(function* () {
        const { freshness, toTell } = yield* Ref.getAndUpdate(state, (state) => SessionState.send(state, messages))
        const told = client.turn(id, { ...toTell, messages }, { stream })
        return (freshness === "unsure" ? Stream.onFirst(told, () => settle) : told).pipe(
          Stream.catchTag("TurnUnfinished", (error) => Stream.unwrap(Effect.map(Ref.get(state), presumedStop(error)))),
          Stream.mapArrayEffect(hearAll),
          Stream.tapError(() => Ref.update(state, SessionState.fail))
        )
      })
    )

  /** Answers what the latest of `taken` turns has asked for. Calls that it has not told stand in the history. */
  const answered = (taken: number): Updates<R> =>
    Stream.unwrap(
      Effect.gen(function* () {
        if (SessionState.isUntold(yield* Ref.get(state))) yield* reload
        return answerAll(SessionState.owed(yield* Ref.get(state), isOwn), taken)
      })
    )

  const turns = (messages: ReadonlyArray<ApplicationMessage>, taken: number): Updates<R> =>
    Stream.concat(turn(messages), answered(taken + 1))

  const openCalls = Effect.map(Ref.get(state), ({ conversation }) => Conversation.open(conversation))

  const openOnes: Updates<R> = Stream.unwrap(Effect.map(openCalls, (calls) => answerAll(calls, 0)))

  /** What is said, in one turn with the refusals of what is open. */
  const refuseAnd = (reason: string, said: ApplicationMessage): Updates<never> =>
    Stream.unwrap(
      Effect.map(Ref.get(state), (state) => {
        const refusals = Conversation.open(state.conversation).map(refusal(reason, state))
        return Stream.fromIterable(refusals.map(({ event }) => toUpdate(state)(event))).pipe(
          Stream.concat(turn([...refusals.map(({ message }) => message), said]))
        )
      })
    )

  const begin = Effect.flatMap(
    Ref.modify(state, (state) => [state.isRunning, SessionState.begin(state)]),
    (isBusy) => (isBusy ? Effect.fail(new SessionBusy()) : Effect.void)
  )

  const fresh = Effect.flatMap(Ref.get(state), ({ freshness }) => (freshness === "stale" ? reload : Effect.void))

  /** The one stream that runs, on a conversation that the server has. */
  const alone = (updates: Updates<R>): Updates<R> =>
    Stream.unwrap(
      Effect.gen(function* () {
        yield* Effect.acquireRelease(begin, () => Ref.update(state, SessionState.leave))
        yield* fresh
        return Stream.concat(updates, Stream.fromEffectDrain(Ref.update(state, SessionState.finish)))
      })
    )

  return {
    id,
    say: (content, { agent, notRun } = {}) => {
      const message: ApplicationMessage = { role: "user", content }
      const before = notRun === undefined ? openOnes : Stream.empty
      const said = notRun === undefined ? turn([message]) : refuseAnd(notRun, message)
      // Calls may have been left open by another application of the same session.
      const again = Stream.fromEffectDrain(reload).pipe(Stream.concat(before), Stream.concat(said))
      return Stream.fromEffectDrain(Ref.update(state, (state) => SessionState.change(state, agent))).pipe(
        Stream.concat(before),
        Stream.concat(Stream.catchIf(said, isPendingCalls, () => again)),
        Stream.concat(answered(1)),
        alone
      )
    },
    goOn: alone(openOnes),
    messages: Effect.map(Ref.get(state), ({ conversation }) => Conversation.messages(conversation)),
    openCalls
  }
})

/** Opens a session with an agent. `messages` seed its history. */
export const open = Effect.fnUntraced(function* <R = never>(
  agent: AgentConfig,
  options: SessionOptions<R> & { readonly messages?: ReadonlyArray<HistoryMessage> } = {}
): Effect.fn.Return<ClientSession<R>, AgentError, AgentClient> {
  const { messages = [], tools = [] } = options
  const id = yield* (yield* AgentClient).createSession({
    agent,
    ...(messages.length === 0 ? {} : { messages }),
    ...(tools.length === 0 ? {} : { tools: tools.map(({ spec }) => spec) })
  })
  return yield* make(id, messages, options, {})
})

/**
 * Goes on with a session, from what the server has of it: after a restart, or on another device. A call of a tool that the
 * session has from an application which had others is answered with why it cannot be run here.
 */
export const resume = Effect.fnUntraced(function* <R = never>(
  id: SessionId,
  options: SessionOptions<R> = {}
): Effect.fn.Return<ClientSession<R>, AgentError, AgentClient> {
  const client = yield* AgentClient
  const { tools } = options
  const history = yield* client.history(id)
  const declared = yield* Effect.map(client.session(id), (info) => info.tools ?? [])
  const others = declared.filter(({ name }) => tools?.some(({ spec }) => spec.name === name) !== true)
  return yield* make(
    id,
    history,
    { ...options, tools: [...(tools ?? []), ...others.map(ClientTool.absent)] },
    tools === undefined ? {} : { tools: tools.map(({ spec }) => spec) }
  )
})
