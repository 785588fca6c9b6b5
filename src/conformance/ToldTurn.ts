import { Effect, Result } from "effect"
import * as Transcript from "../history/Transcript.ts"
import type { HistoryMessage } from "../protocol/Message.ts"
import type { StopReason } from "../protocol/Turn.ts"
import { TurnEvent } from "../protocol/TurnEvent.ts"
import { type Answer, titleOf } from "./AgentServer.ts"
import { plainly } from "./Plain.ts"
import * as RawSse from "./RawSse.ts"
import * as Reading from "./Reading.ts"
import { broken, expect, fits, quoted } from "./Rule.ts"

/** A turn as its answer tells it. `events` are those of the protocol; none in mode `none`. */
export interface ToldTurn {
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

/** The turn that a stream tells. Events of a server's own are passed over, but stand between turn_start and turn_stop. */
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

/** The calls of a turn, in order. */
export const callsOf = ({ messages }: ToldTurn) =>
  messages.flatMap(({ content, role }) =>
    role === "assistant" && typeof content !== "string" ? content.filter((block) => block.type === "tool_use") : []
  )

/** The first call of a turn to a tool. */
export const callOf = Effect.fnUntraced(function* (turn: ToldTurn, name: string) {
  const call = callsOf(turn).find((call) => call.name === name)
  return call ?? (yield* broken(`the turn has no call of ${name}: ${quoted(turn.messages)}`))
})
