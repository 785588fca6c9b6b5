import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema, Stream } from "effect"
import * as TurnStream from "../../src/client/TurnStream.ts"
import { TurnEvent } from "../../src/protocol/TurnEvent.ts"

const encoder = new TextEncoder()

/** What may stand between two events, none of it an event of the protocol. */
const fillers = [
  "",
  ": ping\n\n",
  "id: 7\n\n",
  "retry: 10\n\n",
  "event: heartbeat\ndata: {}\n\n",
  "data: {}\n\n",
  "\n\n"
]

const Wire = Schema.Struct({
  events: Schema.Array(
    Schema.Struct({ event: TurnEvent, filler: Schema.Literals(fillers), space: Schema.Literals(["", " "]) })
  ),
  newline: Schema.Literals(["\n", "\r\n", "\r"]),
  cuts: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2_000 })))
})
type Wire = typeof Wire.Type

const bytesOf = ({ events, newline }: Wire): Uint8Array =>
  encoder.encode(
    events
      .map(
        ({ event: { data, event }, filler, space }) =>
          `${filler}event:${space}${event}\ndata:${space}${JSON.stringify(data)}\n\n`
      )
      .join("")
      .replaceAll("\n", newline)
  )

/** An event as JSON tells it, which knows no `-0`. */
const written = (event: TurnEvent): TurnEvent => JSON.parse(JSON.stringify(event))

const packets = (wire: Wire): ReadonlyArray<Uint8Array> => {
  const bytes = bytesOf(wire)
  const cuts = [0, ...wire.cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return cuts.slice(1).map((end, index) => bytes.subarray(cuts[index], end))
}

describe("TurnStream", () => {
  it.effect.prop(
    "reads the same events however their bytes are cut, up to the first stop, and fails where there is none",
    [Wire],
    ([wire]) =>
      Effect.gen(function* () {
        const told: Array<TurnEvent> = []
        const end = yield* TurnStream.read(Stream.fromIterable(packets(wire))).pipe(
          Stream.runForEach((event) => Effect.sync(() => void told.push(event))),
          Effect.match({ onFailure: ({ _tag }) => _tag, onSuccess: () => "whole" })
        )
        const events = wire.events.map(({ event }) => written(event))
        const stop = events.findIndex(({ event }) => event === "turn_stop")
        assert.deepStrictEqual(told, stop === -1 ? events : events.slice(0, stop + 1))
        assert.strictEqual(end, stop === -1 ? "TurnUnfinished" : "whole")
      }),
    { arbitrary: { runs: 500 } }
  )
})
