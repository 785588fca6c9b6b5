import { Effect, Random } from "effect"
import { afterEach, beforeEach } from "vitest"

/** Set to anything else, it lets the generators try other values. */
const seed = process.env["TEST_SEED"] ?? "1"

const original = Math.random

/** Each test draws the same numbers in each run, whichever tests run beside it: its generators make the same values. */
beforeEach(({ task }) => {
  const random = Effect.runSync(Random.withSeed(Effect.service(Random.Random), `${seed} ${task.name}`))
  Math.random = () => random.nextDoubleUnsafe()
})

afterEach(() => {
  Math.random = original
})
