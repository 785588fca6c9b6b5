import { Effect, Option } from "effect"
import type { HistoryMessage } from "../protocol/Message.ts"
import { spoken, tells, textOf } from "./Plain.ts"
import { expect, expectSame, quoted } from "./Rule.ts"
import * as Talk from "./Talk.ts"

/** The full history of a session, its texts plain; none where the agent does not show it. */
const shown = (id: string) =>
  Talk.wholeHistory(id).pipe(
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
    `the messages of the system in the history are ${quoted(told)}, without ${quoted(instructions)}`
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
