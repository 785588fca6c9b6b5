import { Effect } from "effect"
import type { TurnRequest } from "../protocol/Turn.ts"
import { ModelControl } from "./ModelControl.ts"
import { AgentServer, type Answer, titleOf } from "./AgentServer.ts"
import { expect, quoted } from "./Rule.ts"
import * as Turns from "./Turns.ts"

/** The answer is one of a request that cannot be taken. `what` is what was asked for. */
export const expectRefused = (what: string, { ask, status, text }: Answer) =>
  expect(
    status >= 400 && status < 500,
    `${titleOf(ask)} answers ${status} to ${what}; 4xx would be right: ${quoted(text)}`
  )

/** Asks for a turn that must be refused; in the first mode that the agent declares, where none is told. */
export const refusedTurn = Effect.fnUntraced(function* (what: string, id: string, request: TurnRequest) {
  const { ask } = yield* AgentServer
  yield* expectRefused(what, yield* ask(yield* Turns.ownAsk(id, request)))
})

/** A turn that was refused has not run: the model is not asked under its tag. */
export const expectUnasked = Effect.fnUntraced(function* (what: string, tag: string) {
  const asked = yield* (yield* ModelControl).asked(tag)
  yield* expect(asked.length === 0, `the model is asked, though what must be refused is ${what}`)
})

/** Asks for a turn that must be refused, and must not run either. */
export const unrunTurn = Effect.fnUntraced(function* (what: string, id: string, tag: string, request: TurnRequest) {
  yield* refusedTurn(what, id, request)
  yield* expectUnasked(what, tag)
})
