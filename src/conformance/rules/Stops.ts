import { Effect } from "effect"
import type { StopReason, StreamMode } from "../../protocol/Turn.ts"
import * as Cue from "../Cue.ts"
import { inEachMode } from "../EachMode.ts"
import { expectSame, type Rule } from "../Rule.ts"
import type { Action } from "../Script.ts"
import * as Sessions from "../Sessions.ts"
import * as Turns from "../Turns.ts"

const section = "3 Stop reasons"

const stops = (id: string, says: string, stopReason: StopReason, ...step: ReadonlyArray<Action>): Rule =>
  inEachMode({
    id,
    section,
    says,
    check: Effect.gen(function* () {
      const { message } = yield* Cue.make(step)
      yield* Turns.takeTo(stopReason, yield* Sessions.open(), [message])
    })
  })

/** A model that fails for good: 400 is tried again by nobody. */
const failure: Action = { fail: 400 }

const failsWell = (mode: StreamMode): Rule => ({
  id: `error-${mode}`,
  section,
  says: `A turn that fails once it has begun stops with error in ${mode}: no status, and no broken stream.`,
  check: Effect.gen(function* () {
    const { message } = yield* Cue.make([failure])
    // An agent may say what went wrong before it stops: whatever it says, the turn is whole.
    yield* Turns.takeTo("error", yield* Sessions.open(), [message], { stream: mode })
  })
})

const failsMidway: Rule = {
  id: "error-midway",
  section,
  says: "A model that breaks off in the middle of its answer ends the turn with error, one turn_stop at its end.",
  check: Effect.gen(function* () {
    yield* Turns.needsMode("delta")
    const { message } = yield* Cue.make([{ text: ["The sky "] }, failure])
    yield* Turns.takeTo("error", yield* Sessions.open(), [message], { stream: "delta" })
  })
}

const goesOn: Rule = {
  id: "goes-on-after-error",
  section,
  says: "A session goes on after a turn that failed.",
  check: Effect.gen(function* () {
    const id = yield* Sessions.open()
    yield* Turns.takeTo("error", id, [(yield* Cue.make([failure])).message])
    const { message } = yield* Cue.make([{ text: ["Here again."] }])
    const { messages } = yield* Turns.takeTo("end_turn", id, [message])
    yield* expectSame("what the turn added", messages, [{ role: "assistant", content: "Here again." }])
  })
}

/** The rules of how turns stop. */
export const rules: ReadonlyArray<Rule> = [
  stops("stop-end-turn", "An agent that has ended stops with end_turn.", "end_turn", { text: ["ok"] }),
  stops(
    "stop-max-tokens",
    "A model that reaches its limit of tokens stops the turn with max_tokens.",
    "max_tokens",
    { text: ["The sky"] },
    { finish: "length" }
  ),
  stops(
    "stop-refusal",
    "A provider's filter stops the turn with refusal.",
    "refusal",
    { text: ["I would rather not."] },
    { finish: "content_filter" }
  ),
  stops(
    "stop-overflow",
    "A conversation that is too long for the model's context stops the turn with max_tokens.",
    "max_tokens",
    { overflow: true }
  ),
  failsWell("delta"),
  failsWell("message"),
  failsWell("none"),
  failsMidway,
  goesOn
]
