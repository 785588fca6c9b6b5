import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { type AgentError, ConnectionFailed, InvalidAnswer, RequestRefused } from "../../src/client/AgentError.ts"
import * as Retry from "../../src/client/Retry.ts"

const refused = (status: number, retryAfterMillis?: number) =>
  new RequestRefused({
    status,
    code: "x",
    message: "",
    ...(retryAfterMillis === undefined ? {} : { retryAfterMillis })
  })
const cut = new ConnectionFailed({ stage: "answer", message: "" })

/** A request that fails in these ways before it is answered, and how often it was sent. */
const failing = (...errors: ReadonlyArray<AgentError>) => {
  const sent = { count: 0 }
  const request = Effect.suspend(() => {
    const error = errors[sent.count++]
    return error === undefined ? Effect.succeed("well") : Effect.fail(error)
  })
  return { request, sent }
}

describe("Retry", () => {
  it.effect.each([
    { what: "a refusal in passing", errors: [refused(503)], isSafe: false, sent: 2, isWell: true },
    { what: "two of them", errors: [refused(429, 1000), refused(503)], isSafe: false, sent: 3, isWell: true },
    { what: "three of them", errors: [refused(429), refused(429), refused(429)], isSafe: true, sent: 3, isWell: false },
    { what: "a longer wait than is waited", errors: [refused(429, 31_000)], isSafe: true, sent: 1, isWell: false },
    { what: "a turn that still runs", errors: [refused(409, 1000)], isSafe: false, sent: 2, isWell: true },
    { what: "a conflict that stays", errors: [refused(409)], isSafe: true, sent: 1, isWell: false },
    { what: "a refusal for good", errors: [refused(422)], isSafe: true, sent: 1, isWell: false },
    {
      what: "an answer that is none",
      errors: [new InvalidAnswer({ message: "" })],
      isSafe: true,
      sent: 1,
      isWell: false
    },
    { what: "a broken connection that does no harm", errors: [cut], isSafe: true, sent: 2, isWell: true },
    { what: "a broken connection that might", errors: [cut], isSafe: false, sent: 1, isWell: false }
  ])("sends again after $what: $sent in all", ({ errors, isSafe, isWell, sent }) =>
    Effect.gen(function* () {
      const tried = failing(...errors)
      const fiber = yield* Effect.forkChild(Effect.exit(Retry.transient(tried.request, isSafe)))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* Fiber.join(fiber))._tag, isWell ? "Success" : "Failure")
      assert.strictEqual(tried.sent.count, sent)
    })
  )

  it.effect("waits half a second where the server asks for nothing, and then twice as long", () =>
    Effect.gen(function* () {
      const { request, sent } = failing(refused(503), cut)
      const fiber = yield* Effect.forkChild(Retry.transient(request, true))
      for (const { count, millis } of [
        { millis: 499, count: 1 },
        { millis: 1, count: 2 },
        { millis: 999, count: 2 },
        { millis: 1, count: 3 }
      ]) {
        yield* TestClock.adjust(millis)
        assert.strictEqual(sent.count, count)
      }
      assert.strictEqual(yield* Fiber.join(fiber), "well")
    })
  )

  it.effect("waits as long as the server asks, and no less", () =>
    Effect.gen(function* () {
      const { request, sent } = failing(refused(429, 5000))
      const fiber = yield* Effect.forkChild(Retry.transient(request, false))
      yield* TestClock.adjust("4999 millis")
      assert.strictEqual(sent.count, 1)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* Fiber.join(fiber), "well")
    })
  )
})
