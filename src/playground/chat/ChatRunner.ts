import { Cause, Clock, Effect, Exit, Fiber, Stream } from "effect"
import { AgentClient } from "../../client/AgentClient.ts"
import type { AgentError, SessionError } from "../../client/AgentError.ts"
import * as ClientSession from "../../client/ClientSession.ts"
import type { AgentInfo } from "../../protocol/Agent.ts"
import type { SessionId, SessionInfo } from "../../protocol/Session.ts"
import type { ToolCall } from "../../protocol/Tool.ts"
import type { StreamMode } from "../../protocol/Turn.ts"
import * as PageTool from "../setup/PageTool.ts"
import * as Setup from "../setup/Setup.ts"
import * as Attachment from "./Attachment.ts"
import type { Action } from "./Chat.ts"
import * as Problem from "./Problem.ts"
import * as Questions from "./Questions.ts"

/**
 * How a session that is there already is gone on with. One that is `isReadOnly` is shown, and its calls are left open.
 * `takeOver` is called once the session is read.
 */
export interface Resumption {
  readonly tools: ReadonlyArray<PageTool.PageTool>
  readonly stream: StreamMode
  readonly isReadOnly: boolean
  readonly takeOver: () => void
}

/** Runs one session at a time, and tells what happens. */
export interface ChatRunner {
  /**
   * Says something, in a new session with this agent and these tools where there is none. A session under way is told
   * what differs from its setup, again and again until a turn has begun with it. Calls that were left open are told as
   * not run: nobody is asked about what is past.
   */
  readonly say: (
    text: string,
    agent: AgentInfo,
    setup: Setup.Setup,
    tools: ReadonlyArray<PageTool.PageTool>,
    stream: StreamMode,
    images?: ReadonlyArray<Attachment.Attachment>
  ) => void
  /**
   * Goes on with a session once it is read; calls that were left open are asked again. What ran before is interrupted, and
   * its session stays the open one where the other cannot be read.
   */
  readonly resume: (session: Effect.Effect<SessionInfo, AgentError>, prepare: (info: SessionInfo) => Resumption) => void
  /** Interrupts what runs. */
  readonly stop: () => void
  /** Leaves the session, interrupting what runs. */
  readonly leave: () => void
  readonly permit: (toolCallId: string, permission: ClientSession.Permission) => void
  readonly answer: (toolCallId: string, content: string) => void
}

/** What the model reads of calls that the user left behind. */
const notRun = "the user went on without it"

/** Whether a turn was refused since its calls had been answered, or are being answered, by somebody else. */
const isAnsweredElsewhere = (error: SessionError): boolean =>
  error._tag === "RequestRefused" && ["unknown_tool_call", "turn_in_progress"].includes(error.code)

/** A runner over a client. `opened` is told each session that is begun or gone on with. */
export const make = (
  client: AgentClient["Service"],
  dispatch: (action: Action) => void,
  opened: (id: SessionId) => void
): ChatRunner => {
  const permissions = Questions.make<ClientSession.Permission>()
  const answers = Questions.make<string>()
  let session: ClientSession.ClientSession | undefined
  /** The setups that the session may have: the last one of them, once a turn has begun. */
  let setups: ReadonlyArray<Setup.Setup> = []
  /** The page's tools that the session was told. */
  let told: ReadonlyArray<PageTool.PageTool> = []
  /** How the session is streamed. */
  let streamed: StreamMode = "delta"
  let fiber: Fiber.Fiber<void, SessionError> | undefined

  const asks =
    <A>(questions: Questions.Questions<A>, what: "permission" | "answer") =>
    (call: ToolCall) =>
      questions.ask(call.toolCallId, () => dispatch({ type: "asked", call, what }))

  const withTools = (tools: ReadonlyArray<PageTool.PageTool>, stream: StreamMode) => ({
    stream,
    permit: asks(permissions, "permission"),
    tools: tools.map(PageTool.run(asks(answers, "answer")))
  })

  const options = (tools: ReadonlyArray<PageTool.PageTool>, stream: StreamMode) => {
    const { tools: own, ...others } = withTools(tools, stream)
    return tools.length === 0 ? others : { ...others, tools: own }
  }

  const keep = (tools: ReadonlyArray<PageTool.PageTool>, stream: StreamMode) => (next: ClientSession.ClientSession) =>
    Effect.sync(() => {
      session = next
      told = tools
      streamed = stream
      opened(next.id)
      return next
    })

  const tell = (stream: Stream.Stream<ClientSession.Update, SessionError>) =>
    Stream.runForEachArray(stream, (updates) =>
      Effect.map(Clock.currentTimeMillis, (at) => {
        if (updates.some(({ event }) => event.event === "turn_start")) setups = setups.slice(-1)
        dispatch({ type: "heard", events: updates.map(({ event }) => ({ at, event })) })
      })
    )

  /** The session with other tools, none included. */
  const retool = (before: ClientSession.ClientSession, tools: ReadonlyArray<PageTool.PageTool>, stream: StreamMode) =>
    Effect.flatMap(ClientSession.resume(before.id, withTools(tools, stream)), keep(tools, stream))

  /** Runs a session's stream; where others have answered its calls, what came of them is told. */
  const run = ({ id }: ClientSession.ClientSession, stream: Stream.Stream<ClientSession.Update, SessionError>) =>
    Effect.tapError(tell(stream), (error) =>
      isAnsweredElsewhere(error)
        ? Effect.ignore(Effect.map(client.history(id), (history) => dispatch({ type: "refused", history })))
        : Effect.void
    )

  const toAction = (exit: Exit.Exit<void, SessionError>): Action => {
    if (Exit.isSuccess(exit)) return { type: "ended" }
    return Cause.hasInterruptsOnly(exit.cause)
      ? { type: "stopped" }
      : { type: "failed", problem: Problem.failureOf(exit.cause) }
  }

  /** Begins once what ran before has ended: a session runs one stream at a time. What was left behind tells nothing any more. */
  const start = (work: Effect.Effect<void, SessionError, AgentClient>) => {
    const before = fiber === undefined ? Effect.void : Fiber.interrupt(fiber)
    const own = Effect.runFork(Effect.provideService(Effect.andThen(before, work), AgentClient, client))
    fiber = own
    own.addObserver((exit) => {
      if (fiber === own) dispatch(toAction(exit))
    })
  }

  const stop = () => {
    if (fiber !== undefined) Effect.runFork(Fiber.interrupt(fiber))
  }

  const leave = () => {
    stop()
    fiber = undefined
    session = undefined
    dispatch({ type: "opened", history: [] })
  }

  return {
    say: (text, agent, setup, tools, stream, images = []) => {
      dispatch({ type: "said", text, images })
      const begun = Effect.suspend(() => {
        if (session !== undefined) {
          const isSame = tools === told && stream === streamed
          return isSame ? Effect.succeed(session) : retool(session, tools, stream)
        }
        return Effect.tap(
          Effect.flatMap(ClientSession.open(Setup.toConfig(agent, setup), options(tools, stream)), keep(tools, stream)),
          () =>
            Effect.sync(() => {
              setups = [setup]
            })
        )
      })
      start(
        Effect.flatMap(begun, (session) => {
          const change = Setup.change(agent, setups, setup)
          setups = [...setups, setup]
          return run(
            session,
            session.say(Attachment.toContent(text, images), {
              notRun,
              ...(change === undefined ? {} : { agent: change })
            })
          )
        })
      )
    },
    resume: (found, prepare) => {
      dispatch({ type: "wentOn" })
      start(
        Effect.gen(function* () {
          const info = yield* found
          const { isReadOnly, stream, takeOver, tools } = prepare(info)
          const resumed = yield* ClientSession.resume(info.sessionId, options(tools, stream))
          takeOver()
          setups = [Setup.fromConfig(info.agent)]
          yield* keep(tools, stream)(resumed)
          dispatch({ type: "opened", history: yield* resumed.messages })
          dispatch({ type: "wentOn" })
          if (!isReadOnly) yield* run(resumed, resumed.goOn)
        })
      )
    },
    stop,
    leave,
    permit: permissions.answer,
    answer: answers.answer
  }
}
