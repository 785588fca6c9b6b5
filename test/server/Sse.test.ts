import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { TurnEvent } from "../../src/protocol/TurnEvent.ts"
import * as Sse from "../../src/server/Sse.ts"

const encode = Schema.encodeSync(TurnEvent)

describe("Sse", () => {
  it.prop("writes each event as its Schema encodes it", [Schema.Array(TurnEvent)], ([events]) => {
    const told = events
      .map((event) => encode(event))
      .map(({ data, event }) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
    assert.strictEqual(Sse.encode(events), told.join(""))
  })
})
