import { Bytes, Deferred, Effect, Fiber, Option, Schedule, Stream } from "effect"
import { AgentServer, type Answer, type Ask, unended } from "./AgentServer.ts"
import * as Reading from "./Reading.ts"
import { expect, quoted } from "./Rule.ts"
import { Subject } from "./Subject.ts"

/** An answer that is read while it comes; it is left with the scope. */
export const start = Effect.fnUntraced(function* (ask: Ask) {
  const { patience } = yield* Subject
  const server = yield* AgentServer
  const { body, ...head } = yield* server.open(ask)
  const seen = yield* Deferred.make<void>()
  const received: Array<Uint8Array> = []
  const reading = yield* Effect.forkScoped(
    Stream.runForEach(body, (bytes) => {
      received.push(bytes)
      const soFar = new TextDecoder().decode(Bytes.concat(received))
      return Reading.hasDelta(soFar) ? Deferred.succeed(seen, undefined) : Effect.void
    })
  )
  return {
    /** Whether a piece of text comes, as long as an answer may take. */
    delta: Deferred.await(seen).pipe(
      Effect.as(true),
      Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.succeed(false) })
    ),
    /** All that comes, once it has ended; broken where it does not. */
    whole: Fiber.join(reading).pipe(
      Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.fail(unended(ask, patience)) }),
      Effect.map((): Answer => {
        const bytes = Bytes.concat(received)
        return { ...head, ask, bytes, text: new TextDecoder().decode(bytes), json: Option.none() }
      })
    )
  }
})

/** Asks again while another turn is being left, as long as an answer may take; then it must be taken. */
export const untilFree = Effect.fnUntraced(function* (ask: Ask) {
  const { patience } = yield* Subject
  const server = yield* AgentServer
  const answer = yield* server.ask(ask).pipe(
    Effect.repeat({
      schedule: Schedule.spaced("200 millis").pipe(Schedule.upTo({ duration: patience })),
      while: ({ status }) => status >= 400 && status < 500
    })
  )
  yield* expect(
    answer.status === 200,
    `a turn after one that was left is answered ${answer.status}; 200 would be right: ${quoted(answer.text)}`
  )
})
