import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as RawSse from "../../src/conformance/RawSse.ts"

const read = (text: string) => RawSse.read(new TextEncoder().encode(text))

const problemOf = (text: string): string => {
  const events = read(text)
  return Result.isFailure(events) ? events.failure : assert.fail(JSON.stringify(events.success))
}

const Event = Schema.Struct({
  event: Schema.String.check(Schema.isPattern(/^[a-z_]+$/)),
  data: Schema.JsonObject
})

describe("the framing of a stream", () => {
  it.prop(
    "is read back as it was written, with any ends of lines, and comments between",
    [Schema.Array(Event)],
    ([events]) => {
      for (const end of ["\n", "\r\n", "\r"]) {
        const text = events
          .map(({ data, event }) => `: still there${end}event: ${event}${end}data: ${JSON.stringify(data)}${end}${end}`)
          .join("")
        assert.deepStrictEqual(read(text), Result.succeed(JSON.parse(JSON.stringify(events))))
      }
    }
  )

  it("is broken by each of its rules", () => {
    assert.match(problemOf("event: a\ndata: {}\n"), /no blank line behind it/)
    assert.match(problemOf("event: a\ndata: {}"), /ends within a line/)
    assert.match(problemOf("event: a\ndata: {\ndata: }\n\n"), /2 lines of data/)
    assert.match(problemOf("data: {}\n\n"), /0 lines of event/)
    assert.match(problemOf("event: a\nid: 1\ndata: {}\n\n"), /neither event nor data/)
    assert.match(problemOf("event: a\ndata: {\n\n"), /no JSON/)
    assert.deepStrictEqual(RawSse.read(Uint8Array.of(0xff, 0x0a)), Result.fail("the body is not UTF-8"))
  })
})
