import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Transcript from "../../src/history/Transcript.ts"
import { TurnEvent } from "../../src/protocol/TurnEvent.ts"
import * as Replay from "../../src/history/Replay.ts"

describe("Replay", () => {
  it.prop(
    "tells the messages of any turn again",
    [Schema.Array(TurnEvent)],
    ([told]) => {
      const messages = Transcript.fold(told.filter(({ event }) => event !== "turn_stop"))
      assert.deepStrictEqual(Transcript.fold(Replay.events(messages, "end_turn")), messages)
    },
    { arbitrary: { runs: 500 } }
  )
})
