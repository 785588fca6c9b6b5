import { NodeRuntime } from "@effect/platform-node"
import { Console, Effect } from "effect"
import { summary } from "./Figure.ts"
import * as Rig from "./Rig.ts"
import * as Trials from "./Trials.ts"

/** How often each is measured; the order is turned round each time. */
const rounds = 3

const short = (value: number): string => value.toFixed(2)

/** Measures both targets in turn, and tells the median of each name for both, and their ratio round by round. */
const compare = Effect.fnUntraced(function* <Name extends string>(
  rig: Rig.Rig,
  title: string,
  names: ReadonlyArray<Name>,
  trial: Trials.Trial<Name>
) {
  const pairs: Array<{
    readonly relay: Readonly<Record<Name, number>>
    readonly server: Readonly<Record<Name, number>>
  }> = []
  for (let round = 0; round < rounds; round++) {
    const first = round % 2 === 0 ? "relay" : "server"
    const one = yield* trial(rig, rig[first])
    const other = yield* trial(rig, rig[first === "relay" ? "server" : "relay"])
    pairs.push(first === "relay" ? { relay: one, server: other } : { relay: other, server: one })
  }
  for (const name of names) {
    const { base, compared, least, most, ours } = summary({
      group: title,
      name,
      unit: name === "cpu" ? "µs" : "ms",
      against: "bare relay",
      compare: "ratio",
      ours: pairs.map(({ server }) => server[name]),
      base: pairs.map(({ relay }) => relay[name])
    })
    yield* Console.log(
      `${title}, ${name}: relay ${short(base)}, server ${short(ours)}, ratio ${short(compared)} (${short(least)} to ${short(most)})`
    )
  }
})

/**
 * What the server costs beside a bare relay of `node:http`: `npm run bench`. The ratios count, the times are this machine's.
 * CPU is in microseconds for each delta, latency (p50, p99) in milliseconds. It reaches nothing but loopback and ends by itself.
 */
const main = Effect.gen(function* () {
  const rig = yield* Rig.start(process.env["PROFILE"])
  // What is not compiled yet by the engine is nobody's cost.
  for (const target of [rig.relay, rig.server]) yield* Trials.burst({ streams: 10, deltas: 2000 })(rig, target)
  yield* compare(rig, "burst, 10 streams", ["cpu"], Trials.burst({ streams: 10, deltas: 2000 }))
  yield* compare(rig, "paced, 100 streams", ["cpu", "p50", "p99"], Trials.paced(100, 4))
})

NodeRuntime.runMain(Effect.scoped(main))
