import { Effect, Schema, Stream } from "effect"
import type { AgentConfig } from "../protocol/Agent.ts"
import type { InputContent } from "../protocol/Content.ts"
import type { ApplicationMessage, HistoryMessage } from "../protocol/Message.ts"
import type { SessionId } from "../protocol/Session.ts"
import type { ToolCall, ToolResult } from "../protocol/Tool.ts"
import type { AgentOverrides, StopReason, StreamMode } from "../protocol/Turn.ts"
import type { TurnEvent } from "../protocol/TurnEvent.ts"
import { AgentClient, type TurnInput } from "./AgentClient.ts"
import type { AgentError } from "./AgentError.ts"
import type { ClientTool } from "./ClientTool.ts"
import * as Conversation from "./Conversation.ts"

/** A decision on a call of a tool that the server runs. */
export interface Permission {
  readonly granted: boolean
  /** Why not; the model reads it. */
  readonly reason?: string
}

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

/** The agent went on calling tools for as many turns as it may take. */
export class TooManyRounds extends Schema.TaggedError<TooManyRounds>()("TooManyRounds", { limit: Schema.Int }) {
  override get message() {
    return `the agent called tools in ${this.limit} turns one after the other; say something to go on`
  }
}

/** How a session is run. */
export interface SessionOptions<R> {
  /** The application's own tools. */
  readonly tools?: ReadonlyArray<ClientTool<R>>
  /** Decides on calls of tools that the server runs, and that it waits with; {@link denyAll} by default. */
  readonly permit?: Permit<R>
  /** How turns are streamed; `delta` by default. */
  readonly stream?: StreamMode
  /** How many turns the agent may take for one message, each ending in calls; fifty by default. */
  readonly roundLimit?: number
}

/** What changes in a session with what is said. */
export interface SessionChange {
  readonly agent?: AgentOverrides
}

/**
 * A session as an application holds it. One stream of it runs at a time.
 *
 * 1. Calls of the application's tools are run, and permission is asked, side by side; all answers go back together, and the
 *    agent goes on, until it has nothing more to ask.
 * 2. A stream that fails or is interrupted leaves the session to be gone on with: what the server has is read anew.
 */
export interface ClientSession<out R = never> {
  readonly id: SessionId
  /**
   * Says something, and runs the agent to its end. Calls that were left open are answered first. `agent` changes how the
   * agent is set up, for good: `tools` replaces what it may use, `options` changes those that it names.
   */
  readonly say: (content: InputContent, change?: SessionChange) => Stream.Stream<Update, AgentError | TooManyRounds, R>
  /** Answers the calls that were left open, and runs the agent to its end; empty where none were. */
  readonly goOn: Stream.Stream<Update, AgentError | TooManyRounds, R>
  /** The conversation so far. */
  readonly messages: Effect.Effect<ReadonlyArray<HistoryMessage>>
  /** Calls that wait for the application. */
  readonly openCalls: Effect.Effect<ReadonlyArray<ToolCall>>
}

type Permit<R = never> = (call: ToolCall) => Effect.Effect<Permission, never, R>

/** Grants every call. */
export const grantAll: Permit = (_call) => Effect.succeed({ granted: true })

/** Denies every call, and says that nobody was there to ask. */
export const denyAll: Permit = (_call) =>
  Effect.succeed({ granted: false, reason: "this application asks nobody for permission" })

const toolConcurrency = 16

const isPendingCalls = (error: AgentError | TooManyRounds): boolean =>
  error._tag === "RequestRefused" && error.code === "pending_tool_calls"

interface Answer {
  readonly event: SessionEvent
  readonly message: ApplicationMessage
}

const run = <R>(
  client: AgentClient["Service"],
  id: SessionId,
  history: ReadonlyArray<HistoryMessage>,
  options: SessionOptions<R>,
  areToolsNew: boolean
): ClientSession<R> => {
  const { permit = denyAll, roundLimit = 50, stream = "delta", tools = [] } = options
  const byName = new Map(tools.map((tool) => [tool.spec.name, tool]))
  const isOwn = ({ name }: ToolCall) => byName.has(name)
  let conversation = Conversation.make(history)
  /** Whether the server may have more, or less, than is known here. */
  let isStale = false
  /** Whether a turn that broke off may still have been ending when the history was read. */
  let isUnsure = false
  /** What goes with the next turn that begins: the application's tools, and how the agent is set up from then on. */
  let toTell: Pick<TurnInput, "agent" | "tools"> = areToolsNew ? { tools: tools.map(({ spec }) => spec) } : {}

  const update = (event: SessionEvent): Update => {
    const now = conversation
    return { event, messages: () => Conversation.messages(now) }
  }

  const answer = Effect.fnUntraced(function* (call: ToolCall): Effect.fn.Return<Answer, never, R> {
    const { toolCallId } = call
    const tool = byName.get(call.name)
    if (tool !== undefined) {
      const content = yield* tool.run(call)
      return {
        event: { event: "client_result", data: { toolCallId, content } },
        message: { role: "tool", toolCallId, content }
      }
    }
    const decided = yield* permit(call)
    return {
      event: { event: "permission", data: { toolCallId, ...decided } },
      message: { role: "tool_permission", toolCallId, ...decided }
    }
  })

  /** Answers calls, and takes the turn that goes on with the answers. */
  const answerAll = (
    calls: ReadonlyArray<ToolCall>,
    round: number
  ): Stream.Stream<Update, AgentError | TooManyRounds, R> =>
    Stream.suspend(() => {
      const answers: Array<ApplicationMessage> = []
      return Stream.fromIterable(calls).pipe(
        Stream.mapEffect(answer, { concurrency: toolConcurrency }),
        Stream.map(({ event, message }) => {
          answers.push(message)
          return update(event)
        }),
        Stream.concat(Stream.suspend(() => turn(answers, round)))
      )
    })

  /** Now that the next turn has begun the one that broke off has ended for certain: what it left is known. */
  const settle = client.history(id).pipe(
    Effect.flatMap((history) =>
      Effect.sync(() => {
        conversation = Conversation.settle(conversation, history)
        isUnsure = false
      })
    ),
    Effect.ignore
  )

  const turn = (
    messages: ReadonlyArray<ApplicationMessage>,
    round: number
  ): Stream.Stream<Update, AgentError | TooManyRounds, R> =>
    Stream.suspend(() => {
      if (round > roundLimit) return Stream.fail(new TooManyRounds({ limit: roundLimit }))
      let stopReason: StopReason | undefined
      let hasBegun = false
      const before = conversation
      conversation = Conversation.send(conversation, messages)
      const told = client.turn(id, { ...toTell, messages }, { stream })
      return (
        isUnsure
          ? Stream.mapEffect(told, (event, index) => (index === 0 ? Effect.as(settle, event) : Effect.succeed(event)))
          : told
      ).pipe(
        Stream.catchTag("TurnUnfinished", () =>
          Stream.suspend(() =>
            Stream.succeed<TurnEvent>({
              event: "turn_stop",
              data: { stopReason: Conversation.presumedStop(conversation) }
            })
          )
        ),
        Stream.map((event) => {
          hasBegun = true
          toTell = {}
          conversation = Conversation.hear(conversation, event)
          if (event.event === "turn_stop") stopReason = event.data.stopReason
          return update(event)
        }),
        Stream.tapError(() =>
          Effect.sync(() => {
            if (!hasBegun) conversation = before
          })
        ),
        Stream.concat(
          Stream.suspend(() => {
            const calls = Conversation.owed(conversation, stopReason ?? "end_turn", isOwn)
            return calls.length === 0 ? Stream.empty : answerAll(calls, round + 1)
          })
        )
      )
    })

  const reload = Effect.map(client.history(id), (history) => {
    conversation = Conversation.make(history)
    isStale = false
    isUnsure = true
  })

  const fresh = Effect.suspend(() => (isStale ? reload : Effect.void))

  const openOnes = Stream.suspend(() => {
    const calls = Conversation.open(conversation)
    return calls.length === 0 ? Stream.empty : answerAll(calls, 1)
  })

  /** What breaks off leaves the server with more, or less, than is known here. */
  const watched = (
    stream: Stream.Stream<Update, AgentError | TooManyRounds, R>
  ): Stream.Stream<Update, AgentError | TooManyRounds, R> =>
    Stream.suspend(() => {
      let isWhole = false
      return Stream.fromEffectDrain(fresh).pipe(
        Stream.concat(stream),
        Stream.concat(
          Stream.suspend(() => {
            isWhole = true
            return Stream.empty
          })
        ),
        Stream.ensuring(
          Effect.sync(() => {
            isStale ||= !isWhole
          })
        )
      )
    })

  return {
    id,
    say: (content, { agent } = {}) => {
      const said = Stream.suspend(() => turn([{ role: "user", content }], 1))
      const again = Stream.fromEffectDrain(reload).pipe(Stream.concat(openOnes), Stream.concat(said))
      const all = Stream.concat(
        openOnes,
        Stream.catchIf(said, isPendingCalls, () => again)
      )
      return watched(
        Stream.suspend(() => {
          const { agent: _, ...others } = toTell
          toTell = agent === undefined ? others : { ...others, agent }
          return all
        })
      )
    },
    goOn: watched(openOnes),
    messages: Effect.sync(() => Conversation.messages(conversation)),
    openCalls: Effect.sync(() => Conversation.open(conversation))
  }
}

/** Opens a session with an agent. `messages` seed its history. */
export const open = Effect.fnUntraced(function* <R = never>(
  agent: AgentConfig,
  options: SessionOptions<R> & { readonly messages?: ReadonlyArray<HistoryMessage> } = {}
): Effect.fn.Return<ClientSession<R>, AgentError, AgentClient> {
  const client = yield* AgentClient
  const { messages = [], tools = [] } = options
  const id = yield* client.createSession({
    agent,
    ...(messages.length === 0 ? {} : { messages }),
    ...(tools.length === 0 ? {} : { tools: tools.map(({ spec }) => spec) })
  })
  return run(client, id, messages, options, false)
})

/** Goes on with a session, from what the server has of it: after a restart, or on another device. */
export const resume = Effect.fnUntraced(function* <R = never>(
  id: SessionId,
  options: SessionOptions<R> = {}
): Effect.fn.Return<ClientSession<R>, AgentError, AgentClient> {
  const client = yield* AgentClient
  return run(client, id, yield* client.history(id), options, options.tools !== undefined)
})
