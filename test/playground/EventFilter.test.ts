import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { TimedEvent } from "../../src/playground/chat/Chat.ts"
import * as EventFilter from "../../src/playground/sessions/EventFilter.ts"

const Delta = Schema.Literals(["text_delta", "thinking_delta"])

const toEvents = (names: ReadonlyArray<typeof Delta.Type>): ReadonlyArray<TimedEvent> =>
  names.map((event, at) => ({ at, event: { event, data: { delta: "x" } } }))

describe("the filter of events", () => {
  it.prop("counts every event once", [Schema.Array(Delta)], ([names]) => {
    const counts = EventFilter.counts(toEvents(names))
    assert.strictEqual(
      [...counts.values()].reduce((sum, count) => sum + count, 0),
      names.length
    )
    for (const [type, count] of counts) assert.strictEqual(names.filter((name) => name === type).length, count)
  })

  it.prop("hides the events of its types alone, and keeps the others' order", [Schema.Array(Delta)], ([names]) => {
    const events = toEvents(names)
    const shown = EventFilter.shown(events, new Set(["text_delta"] as const))
    assert.deepStrictEqual(
      shown,
      events.filter(({ event }) => event.event === "thinking_delta")
    )
    assert.strictEqual(EventFilter.shown(events, new Set()), events)
  })

  it("turns a type off, and on again", () => {
    const off = EventFilter.toggle(new Set(), "text")
    assert.deepStrictEqual([...off], ["text"])
    assert.deepStrictEqual([...EventFilter.toggle(off, "text")], [])
  })
})
