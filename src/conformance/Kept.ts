import { Effect, Option } from "effect"
import type { HistoryMessage } from "../protocol/Message.ts"
import { expectSame } from "./Rule.ts"
import * as Talk from "./Talk.ts"

/** The full history of a session, its texts plain; none where the agent does not show it. */
export const shown = (id: string) =>
  Talk.history(id).pipe(
    Effect.asSome,
    Effect.catchTag("NotApplicable", () => Effect.succeed(Option.none<ReadonlyArray<HistoryMessage>>()))
  )

/** The full history, from a place on, is this; nothing is said where the agent does not show it. */
export const expectKept = Effect.fnUntraced(function* (
  id: string,
  messages: ReadonlyArray<HistoryMessage>,
  from?: number,
  to?: number
) {
  const history = yield* shown(id)
  if (Option.isSome(history)) yield* expectSame("the history", history.value.slice(from, to), messages)
})
