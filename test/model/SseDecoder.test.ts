import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as SseDecoder from "../../src/model/SseDecoder.ts"

/** The data of the events in a whole text, line by line. */
const dataOf = (text: string): ReadonlyArray<string> => {
  const events: Array<string> = []
  let data: Array<string> = []
  for (const line of `${text}\n\n`.split(/\r\n|\r|\n/)) {
    if (line === "") {
      if (data.length > 0) events.push(data.join("\n"))
      data = []
    } else if (line === "data") data.push("")
    else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""))
  }
  return events
}

const Piece = Schema.Literals([
  "data:",
  "data",
  " ",
  "a",
  "1",
  ":",
  "event: x",
  "\n",
  "\r",
  "\r\n",
  "\n\n",
  "\r\r",
  "ü"
])

describe("SseDecoder", () => {
  it.prop(
    "reads the same however a stream is cut, and whatever its lines end with",
    [Schema.Array(Piece)],
    ([pieces]) => {
      const decoder = SseDecoder.make()
      const read = [...pieces.flatMap((piece) => [...piece].flatMap(decoder.feed)), ...decoder.end()]
      assert.deepStrictEqual(read, dataOf(pieces.join("")))
      const whole = SseDecoder.make()
      assert.deepStrictEqual([...whole.feed(pieces.join("")), ...whole.end()], dataOf(pieces.join("")))
      const inPieces = SseDecoder.make()
      assert.deepStrictEqual([...pieces.flatMap(inPieces.feed), ...inPieces.end()], dataOf(pieces.join("")))
    }
  )
})
