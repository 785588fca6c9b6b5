import { Effect, Option, Result, Schema } from "effect"
import type { Scope } from "effect"
import * as Transcript from "../history/Transcript.ts"
import type { ApplicationMessage, HistoryMessage, UserMessage } from "../protocol/Message.ts"
import { History, type HistoryType, SessionCreated, SessionInfo } from "../protocol/Session.ts"
import { type StopReason, type StreamMode, type TurnRequest, TurnResponse } from "../protocol/Turn.ts"
import { TurnEvent } from "../protocol/TurnEvent.ts"
import { AgentServer, type Answer, type Ask, titleOf } from "./AgentServer.ts"
import { plainly, spoken } from "./Plain.ts"
import * as RawSse from "./RawSse.ts"
import * as Reading from "./Reading.ts"
import { broken, expect, fits, notApplicable, quoted, type NotApplicable, type RuleBroken } from "./Rule.ts"
import * as Script from "./Script.ts"
import { Subject } from "./Subject.ts"

const expectStatus = ({ ask, status, text }: Answer, expected: number) =>
  expect(status === expected, `${titleOf(ask)} answers ${status}; ${expected} would be right: ${quoted(text)}`)

/** Asks, and takes an answer of this status alone. */
export const ask = Effect.fnUntraced(function* (ask: Ask, status: number) {
  const server = yield* AgentServer
  const answer = yield* server.ask(ask)
  yield* expectStatus(answer, status)
  return answer
})

/** The JSON of an answer, as a Schema reads it. */
export const bodyOf = <S extends Schema.ConstraintDecoder<unknown>>(
  schema: S,
  { ask, contentType, json, text }: Answer
) =>
  Effect.gen(function* () {
    const what = `the answer to ${titleOf(ask)}`
    yield* expect(
      /^application\/json\b/i.test(contentType),
      `${what} is of the type ${quoted(contentType)}; application/json would be right`
    )
    if (Option.isNone(json)) return yield* broken(`${what} is no JSON: ${quoted(text)}`)
    return yield* fits(what, schema, Reading.known(json.value))
  })

/** Where a session stands. */
export const pathOf = (id: string): string => `/sessions/${encodeURIComponent(id)}`

/** A session that an answer tells of; none where it does not. */
const Made = Schema.Struct({ sessionId: Schema.String })

/**
 * Asks for something that may make a session, and gives whatever is answered. The session is deleted with the scope, if it
 * is there by then, also where the check is interrupted while it is made.
 */
export const askToMake = Effect.fnUntraced(function* (ask: Ask) {
  const server = yield* AgentServer
  return yield* Effect.acquireRelease(server.ask(ask), ({ json }) =>
    Option.match(Option.flatMap(json, Schema.decodeUnknownOption(Made)), {
      onNone: () => Effect.void,
      onSome: ({ sessionId }) => server.discard(pathOf(sessionId))
    })
  )
})

/** Makes a session, and gives its id. */
export const create = Effect.fnUntraced(function* (body: object) {
  const answer = yield* askToMake({ method: "POST", path: "/sessions", body })
  yield* expectStatus(answer, 201)
  const { sessionId } = yield* bodyOf(SessionCreated, answer)
  return sessionId
})

/** Opens a session with the agent, set up as told; it is deleted with the scope. */
export const open = Effect.fnUntraced(function* ({
  agent = {},
  ...rest
}: {
  readonly agent?: object
  readonly messages?: ReadonlyArray<HistoryMessage>
  readonly tools?: ReadonlyArray<object>
} = {}): Effect.fn.Return<string, RuleBroken, AgentServer | Subject | Scope.Scope> {
  const subject = yield* Subject
  return yield* create({ agent: { name: subject.agent.name, ...agent }, ...rest })
})

/** What the server says of a session. */
export const info = (id: string) =>
  Effect.flatMap(ask({ method: "GET", path: pathOf(id) }, 200), (answer) => bodyOf(SessionInfo, answer))

/** Not applicable where the agent does not show this history. */
export const needsHistory = (type: HistoryType): Effect.Effect<void, NotApplicable, Subject> =>
  Effect.flatMap(Subject, ({ agent }) =>
    agent.capabilities?.history?.[type] === undefined
      ? notApplicable(`the agent shows no ${type} history`)
      : Effect.void
  )

/** A history of a session as it is shown, its texts plain; not applicable where the agent does not show it. */
export const wholeHistory = Effect.fnUntraced(function* (id: string, type: HistoryType = "full") {
  yield* needsHistory(type)
  const answer = yield* ask({ method: "GET", path: `${pathOf(id)}/history?type=${type}` }, 200)
  const { history } = yield* bodyOf(History, answer)
  return plainly("full" in history ? history.full : history.compacted)
})

/** The same without messages of the system. */
export const history = (id: string, type?: HistoryType) => Effect.map(wholeHistory(id, type), spoken)

/** A script of a rule: what the user says, and under which tag the model keeps what it was asked. */
export interface Cue {
  readonly tag: string
  readonly message: UserMessage
}

/** A user message that tells the model what to do, step by step. */
export const cue = (...steps: Script.Script["steps"]) =>
  Effect.map(Subject, ({ newTag }): Cue => {
    const tag = newTag()
    return { tag, message: { role: "user", content: Script.write({ tag, steps }) } }
  })

/** A turn that was taken. `events` are those of the protocol; none in mode `none`. */
export interface Turn {
  readonly answer: Answer
  readonly events: ReadonlyArray<TurnEvent>
  readonly stopReason: StopReason
  /** What the turn added, its texts plain, without messages of the system. */
  readonly messages: ReadonlyArray<HistoryMessage>
}

/** The events of an answer, as they stood on the wire. */
const rawEventsOf = Effect.fnUntraced(function* (answer: Answer) {
  const read = RawSse.read(answer.bytes)
  if (Result.isFailure(read))
    return yield* broken(`the answer to ${titleOf(answer.ask)} is badly framed: ${read.failure}`)
  return read.success
})

/** `turn_start` first and `turn_stop` last, one of each. */
const expectEnds = Effect.fnUntraced(function* (names: ReadonlyArray<string>) {
  for (const name of ["turn_start", "turn_stop"] as const) {
    const count = names.filter((other) => other === name).length
    yield* expect(count === 1, `${name} comes ${count} times: ${quoted(names)}`)
  }
  yield* expect(names[0] === "turn_start", `the first event is ${names[0]}; turn_start would be right`)
  yield* expect(names.at(-1) === "turn_stop", `the last event is ${names.at(-1)}; turn_stop would be right`)
})

/** Each call before its result. */
const expectOrder = Effect.fnUntraced(function* (events: ReadonlyArray<TurnEvent>) {
  const indexOf = (name: "tool_call" | "tool_result", id: string) =>
    events.findIndex((event) => event.event === name && event.data.toolCallId === id)
  for (const event of events) {
    if (event.event !== "tool_call") continue
    const { toolCallId } = event.data
    const result = indexOf("tool_result", toolCallId)
    yield* expect(
      result === -1 || result > indexOf("tool_call", toolCallId),
      `the result of ${toolCallId} comes before its call`
    )
  }
})

/** The turn that a stream tells. */
export const fromEvents = Effect.fnUntraced(function* (answer: Answer) {
  const raw = yield* rawEventsOf(answer)
  const events = yield* Effect.forEach(raw.filter(Reading.isKnown), (event) =>
    fits(`the event ${quoted(event.event)}`, TurnEvent, Reading.known(event))
  )
  const stop = events.find((event) => event.event === "turn_stop")
  if (stop === undefined) return yield* broken(`the answer to ${titleOf(answer.ask)} has no turn_stop`)
  yield* expectEnds(raw.map(({ event }) => event))
  yield* expectOrder(events)
  return { answer, events, stopReason: stop.data.stopReason, messages: plainly(Transcript.fold(events)) }
})

/** Where turns of a session are taken. */
export const turnAsk = (id: string, request: TurnRequest): Ask => ({
  method: "POST",
  path: `${pathOf(id)}/turns`,
  body: request
})

/** The same in the first mode that the agent declares, where the request tells none. */
export const ownTurnAsk = (id: string, request: TurnRequest) =>
  Effect.map(Subject, ({ modes: [stream] }) => turnAsk(id, stream === undefined ? request : { stream, ...request }))

/** Not applicable where the agent does not declare this way of answering. */
export const needsMode = (mode: StreamMode): Effect.Effect<void, NotApplicable, Subject> =>
  Effect.flatMap(Subject, ({ modes }) =>
    modes.includes(mode) ? Effect.void : notApplicable(`the agent does not declare the stream mode ${mode}`)
  )

/** Takes a turn in a mode; the first that the agent declares, where none is told. */
export const turn = Effect.fnUntraced(function* (
  id: string,
  messages: ReadonlyArray<ApplicationMessage>,
  { stream, ...more }: Omit<TurnRequest, "messages"> = {}
): Effect.fn.Return<Turn, RuleBroken | NotApplicable, AgentServer | Subject> {
  const { modes } = yield* Subject
  const mode = stream ?? modes[0]
  if (mode === undefined) return yield* notApplicable("the agent declares no stream mode")
  if (stream !== undefined) yield* needsMode(stream)
  const answer = yield* ask(turnAsk(id, { ...more, stream: mode, messages }), 200)
  if (mode !== "none") return yield* fromEvents(answer)
  const { messages: added, stopReason } = yield* bodyOf(TurnResponse, answer)
  return { answer, events: [], stopReason, messages: spoken(plainly(added)) }
})

/** Takes a turn that must stop for this reason. */
export const turnTo = Effect.fnUntraced(function* (stopReason: StopReason, ...args: Parameters<typeof turn>) {
  const taken = yield* turn(...args)
  yield* expect(
    taken.stopReason === stopReason,
    `the turn stops with ${taken.stopReason}; ${stopReason} would be right: ${quoted(taken.messages)}`
  )
  return taken
})

/** The calls of a turn, in order. */
export const callsOf = ({ messages }: Turn) =>
  messages.flatMap(({ content, role }) =>
    role === "assistant" && typeof content !== "string" ? content.filter((block) => block.type === "tool_use") : []
  )

/** The one call of a turn to a tool. */
export const callOf = Effect.fnUntraced(function* (turn: Turn, name: string) {
  const call = callsOf(turn).find((call) => call.name === name)
  return call ?? (yield* broken(`the turn has no call of ${name}: ${quoted(turn.messages)}`))
})
