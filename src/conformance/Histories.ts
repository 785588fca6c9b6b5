import { Effect, Option } from "effect"
import type { HistoryMessage } from "../protocol/Message.ts"
import { History, type HistoryType } from "../protocol/Session.ts"
import * as Asking from "./Asking.ts"
import { plainly, spoken, tells, textOf } from "./Plain.ts"
import { expect, expectSame, notApplicable, quoted, type NotApplicable } from "./Rule.ts"
import * as Sessions from "./Sessions.ts"
import { Subject } from "./Subject.ts"

/** Not applicable where the agent does not show this history. */
export const needs = (type: HistoryType): Effect.Effect<void, NotApplicable, Subject> =>
  Effect.flatMap(Subject, ({ agent }) =>
    agent.capabilities?.history?.[type] === undefined
      ? notApplicable(`the agent shows no ${type} history`)
      : Effect.void
  )

/** A history of a session as it is shown, its texts plain; not applicable where the agent does not show it. */
const whole = Effect.fnUntraced(function* (id: string, type: HistoryType = "full") {
  yield* needs(type)
  const answer = yield* Asking.ask({ method: "GET", path: `${Sessions.pathOf(id)}/history?type=${type}` }, 200)
  const { history } = yield* Asking.bodyOf(History, answer)
  return plainly("full" in history ? history.full : history.compacted)
})

/** The same without messages of the system. */
export const of = (id: string, type?: HistoryType) => Effect.map(whole(id, type), spoken)

/** The full history of a session, its texts plain; none where the agent does not show it. */
const shown = (id: string) =>
  whole(id).pipe(
    Effect.asSome,
    Effect.catchTag("NotApplicable", () => Effect.succeed(Option.none<ReadonlyArray<HistoryMessage>>()))
  )

/** The full history has these instructions; nothing is said where the agent does not show it. */
export const expectInstructions = Effect.fnUntraced(function* (id: string, instructions: string) {
  const history = yield* shown(id)
  if (Option.isNone(history)) return
  const told = history.value.filter(({ role }) => role === "system")
  yield* expect(
    told.some((message) => tells(textOf(message), instructions)),
    `the history is without a message of the system that says ${quoted(instructions)}; it has ${quoted(told)}`
  )
})

/**
 * The full history without messages of the system, from a place on, is this; nothing is said where the agent does not show
 * it.
 */
export const expectKept = Effect.fnUntraced(function* (
  id: string,
  messages: ReadonlyArray<HistoryMessage>,
  from?: number,
  to?: number
) {
  const history = yield* shown(id)
  if (Option.isSome(history)) yield* expectSame("the history", spoken(history.value).slice(from, to), messages)
})
