import { Effect } from "effect"
import type { ApplicationMessage } from "../protocol/Message.ts"
import { type StopReason, type StreamMode, type TurnRequest, TurnResponse } from "../protocol/Turn.ts"
import type { AgentServer, Ask } from "./AgentServer.ts"
import * as Asking from "./Asking.ts"
import { plainly, spoken } from "./Plain.ts"
import { expect, notApplicable, quoted, type NotApplicable, type RuleBroken } from "./Rule.ts"
import * as Sessions from "./Sessions.ts"
import { Subject } from "./Subject.ts"
import * as ToldTurn from "./ToldTurn.ts"

/** Where turns of a session are taken. */
export const ask = (id: string, request: TurnRequest): Ask => ({
  method: "POST",
  path: `${Sessions.pathOf(id)}/turns`,
  body: request
})

/** The same in the first mode that the agent declares, where the request tells none. */
export const ownAsk = (id: string, request: TurnRequest) =>
  Effect.map(Subject, ({ modes: [stream] }) => ask(id, stream === undefined ? request : { stream, ...request }))

/** Not applicable where the agent does not declare this way of answering. */
export const needsMode = (mode: StreamMode): Effect.Effect<void, NotApplicable, Subject> =>
  Effect.flatMap(Subject, ({ modes }) =>
    modes.includes(mode) ? Effect.void : notApplicable(`the agent does not declare the stream mode ${mode}`)
  )

/** Takes a turn in a mode; the first that the agent declares, where none is told. */
export const take = Effect.fnUntraced(function* (
  id: string,
  messages: ReadonlyArray<ApplicationMessage>,
  { stream, ...more }: Omit<TurnRequest, "messages"> = {}
): Effect.fn.Return<ToldTurn.ToldTurn, RuleBroken | NotApplicable, AgentServer | Subject> {
  const { modes } = yield* Subject
  const mode = stream ?? modes[0]
  if (mode === undefined) return yield* notApplicable("the agent declares no stream mode")
  if (stream !== undefined) yield* needsMode(stream)
  const answer = yield* Asking.ask(ask(id, { ...more, stream: mode, messages }), 200)
  if (mode !== "none") return yield* ToldTurn.fromEvents(answer)
  const { messages: added, stopReason } = yield* Asking.bodyOf(TurnResponse, answer)
  return { answer, events: [], stopReason, messages: spoken(plainly(added)) }
})

/** Takes a turn that must stop for this reason. */
export const takeTo = Effect.fnUntraced(function* (stopReason: StopReason, ...args: Parameters<typeof take>) {
  const taken = yield* take(...args)
  yield* expect(
    taken.stopReason === stopReason,
    `the turn stops with ${taken.stopReason}; ${stopReason} would be right: ${quoted(taken.messages)}`
  )
  return taken
})
