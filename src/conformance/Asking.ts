import { Effect, Option } from "effect"
import type { Schema } from "effect"
import { AgentServer, type Answer, type Ask, titleOf } from "./AgentServer.ts"
import * as Reading from "./Reading.ts"
import { broken, expect, fits, quoted } from "./Rule.ts"

/** An answer is of this status. */
export const expectStatus = ({ ask, status, text }: Answer, expected: number) =>
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
