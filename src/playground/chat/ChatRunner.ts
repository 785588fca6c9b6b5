import { Cause, Clock, Effect, Exit, Fiber, Stream } from "effect"
import { AgentClient } from "../../client/AgentClient.ts"
import type { SessionError } from "../../client/AgentError.ts"
import * as ClientSession from "../../client/ClientSession.ts"
import type { AgentConfig } from "../../protocol/Agent.ts"
import type { SessionId, SessionInfo } from "../../protocol/Session.ts"
import type { ToolCall } from "../../protocol/Tool.ts"
import * as PageTool from "../setup/PageTool.ts"
import type { Action } from "./Chat.ts"
import * as Problem from "./Problem.ts"
import * as Questions from "./Questions.ts"

/** Runs one session at a time, and tells what happens. */
export interface ChatRunner {
  /** Says something, in a new session with this agent and these tools where there is none. */
  readonly say: (text: string, config: AgentConfig, tools: ReadonlyArray<PageTool.PageTool>) => void
  /** Goes on with a session, once the one before was left; calls that were left open are asked again. */
  readonly resume: (info: SessionInfo, tools: ReadonlyArray<PageTool.PageTool>) => void
  /** Interrupts what runs. */
  readonly stop: () => void
  /** Leaves the session, interrupting what runs. */
  readonly leave: () => void
  readonly permit: (toolCallId: string, permission: ClientSession.Permission) => void
  readonly answer: (toolCallId: string, content: string) => void
}

/** A runner over a client. `opened` is told each session that is begun or gone on with. */
export const make = (
  client: AgentClient["Service"],
  dispatch: (action: Action) => void,
  opened: (id: SessionId) => void
): ChatRunner => {
  const permissions = Questions.make<ClientSession.Permission>()
  const answers = Questions.make<string>()
  let session: ClientSession.ClientSession | undefined
  let fiber: Fiber.Fiber<void, SessionError> | undefined

  const asks =
    <A>(questions: Questions.Questions<A>, what: "permission" | "answer") =>
    (call: ToolCall) =>
      questions.ask(call.toolCallId, () => dispatch({ type: "asked", call, what }))

  const options = (tools: ReadonlyArray<PageTool.PageTool>) => ({
    permit: asks(permissions, "permission"),
    ...(tools.length === 0 ? {} : { tools: tools.map(PageTool.run(asks(answers, "answer"))) })
  })

  const keep = (next: ClientSession.ClientSession) =>
    Effect.sync(() => {
      session = next
      opened(next.id)
      return next
    })

  const tell = (stream: Stream.Stream<ClientSession.Update, SessionError>) =>
    Stream.runForEachArray(stream, (updates) =>
      Effect.map(Clock.currentTimeMillis, (at) =>
        dispatch({ type: "heard", events: updates.map(({ event }) => ({ at, event })) })
      )
    )

  const toAction = (exit: Exit.Exit<void, SessionError>): Action => {
    if (Exit.isSuccess(exit)) return { type: "ended" }
    return Cause.hasInterruptsOnly(exit.cause)
      ? { type: "stopped" }
      : { type: "failed", problem: Problem.failureOf(exit.cause) }
  }

  /** What was left behind tells nothing any more. */
  const start = (work: Effect.Effect<void, SessionError, AgentClient>) => {
    const own = Effect.runFork(Effect.provideService(work, AgentClient, client))
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
    say: (text, config, tools) => {
      dispatch({ type: "said", text })
      const begun = Effect.suspend(() =>
        session === undefined
          ? Effect.flatMap(ClientSession.open(config, options(tools)), keep)
          : Effect.succeed(session)
      )
      start(Effect.flatMap(begun, (session) => tell(session.say(text))))
    },
    resume: (info, tools) =>
      start(
        Effect.gen(function* () {
          const adopted = PageTool.adopt(info.tools ?? [], tools)
          const resumed = yield* Effect.flatMap(ClientSession.resume(info.sessionId, options(adopted)), keep)
          dispatch({ type: "opened", history: yield* resumed.messages })
          dispatch({ type: "wentOn" })
          yield* tell(resumed.goOn)
        })
      ),
    stop,
    leave,
    permit: permissions.answer,
    answer: answers.answer
  }
}
