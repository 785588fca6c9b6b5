import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope, Stream } from "effect"
import * as StreamPull from "../../src/model/StreamPull.ts"
import * as Stages from "../../src/turn/Stages.ts"

const nothing = () => Effect.succeed(Stages.last<string>([]))

/** A stage that tells these, and notes its end. */
const stage = (
  log: Array<string>,
  told: ReadonlyArray<string>,
  next: Stages.Stage<string, string> | undefined
): Stages.Stage<string, string> => ({
  stream: Stream.fromArray(told).pipe(Stream.ensuring(Effect.sync(() => log.push(`end of ${told[0]}`)))),
  next: Effect.sync(() => {
    log.push(`after ${told[0]}`)
    return next
  })
})

describe("Stages", () => {
  it.effect("are told one after the other, each closed before the next begins", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const first = stage(log, ["a", "b"], { ...stage(log, [], stage(log, ["c"], undefined)) })
      const told = yield* Stream.runCollect(Stages.run(Effect.succeed(first), nothing))
      assert.deepStrictEqual(told, ["a", "b", "c"])
      assert.deepStrictEqual(log, ["end of a", "after a", "end of undefined", "after undefined", "end of c", "after c"])
    })
  )

  for (const [name, failing] of Object.entries({
    "a stage": { stream: Stream.concat(Stream.make("a"), Stream.fail("no")), next: Effect.undefined },
    "a transition": { stream: Stream.make("a"), next: Effect.fail("no") },
    "a defect of a stage": { stream: Stream.concat(Stream.make("a"), Stream.die("no")), next: Effect.undefined }
  } satisfies Record<string, Stages.Stage<string, string>>)) {
    it.effect(`go on once after a failure: ${name}`, () =>
      Effect.gen(function* () {
        let failures = 0
        const recover = () =>
          Effect.sync(() => {
            failures++
            return Stages.last(["sorry"])
          })
        const told = yield* Stream.runCollect(Stages.run(Effect.succeed(failing), recover))
        assert.deepStrictEqual(told, ["a", "sorry"])
        assert.strictEqual(failures, 1)
      })
    )
  }

  it.effect("hear how they ended", () =>
    Effect.gen(function* () {
      const ends: Array<boolean> = []
      const heard = <E>(stream: Stream.Stream<string, E>) =>
        StreamPull.toStream((scope) =>
          Effect.andThen(
            Scope.addFinalizerExit(scope, (exit) => Effect.sync(() => ends.push(Exit.isSuccess(exit)))),
            StreamPull.make(stream, scope)
          )
        )
      const failing: Stages.Stage<string, string> = { stream: heard(Stream.fail("no")), next: Effect.undefined }
      const first: Stages.Stage<string, string> = { stream: heard(Stream.make("a")), next: Effect.succeed(failing) }
      const recover = () => Effect.succeed(Stages.last(["sorry"]))
      assert.deepStrictEqual(yield* Stream.runCollect(Stages.run(Effect.succeed(first), recover)), ["a", "sorry"])
      assert.deepStrictEqual(ends, [true, false])
    })
  )

  it.effect("are not recovered from where they are interrupted, and are closed", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const recover = () => Effect.sync(() => Stages.last([String(log.push("recovered"))]))
      const first: Stages.Stage<string, string> = {
        stream: Stream.never.pipe(Stream.ensuring(Effect.sync(() => log.push("closed")))),
        next: Effect.undefined
      }
      const fiber = yield* Effect.forkChild(Stream.runDrain(Stages.run(Effect.succeed(first), recover)))
      yield* Effect.repeat(Effect.yieldNow, { times: 20 })
      yield* Fiber.interrupt(fiber)
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(fiber)))
      assert.deepStrictEqual(log, ["closed"])
    })
  )
})
