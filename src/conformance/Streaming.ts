import { Deferred, Effect, Fiber, Schedule, Stream } from "effect"
import { AgentServer, type Ask } from "./AgentServer.ts"
import { expect, quoted } from "./Rule.ts"
import { Subject } from "./Subject.ts"

/** An answer that is read while it comes; it is left with the scope. */
export const start = Effect.fnUntraced(function* (ask: Ask) {
  const { patience } = yield* Subject
  const server = yield* AgentServer
  const { body } = yield* server.open(ask)
  let text = ""
  let waiting: { readonly wanted: string; readonly seen: Deferred.Deferred<void> } | undefined
  const reading = yield* Effect.forkScoped(
    Stream.runForEach(Stream.decodeText(body), (piece) =>
      Effect.suspend(() => {
        text += piece
        return waiting !== undefined && text.includes(waiting.wanted)
          ? Deferred.succeed(waiting.seen, undefined)
          : Effect.void
      })
    )
  )
  return {
    /** Whether a text comes, as long as an answer may take. */
    until: (wanted: string) =>
      Effect.gen(function* () {
        const seen = yield* Deferred.make<void>()
        waiting = { wanted, seen }
        if (text.includes(wanted)) return true
        return yield* Deferred.await(seen).pipe(
          Effect.as(true),
          Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.succeed(false) })
        )
      }),
    /** All that comes, once it has ended. */
    rest: Effect.map(Fiber.join(reading), () => text)
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
