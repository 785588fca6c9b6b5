import { Effect } from "effect"
import * as Compare from "./Compare.ts"
import type * as Rig from "./Rig.ts"
import type { Size } from "./Sizes.ts"
import * as Trials from "./Trials.ts"

const cpu = { of: "cpu", unit: "µs", compare: "ratio" } as const

const paced = [
  { ...cpu, name: "CPU per delta", atMost: 1.5, hasFloor: true },
  { of: "p50", name: "latency p50", unit: "ms", compare: "difference", atMost: 1 },
  { of: "p99", name: "latency p99", unit: "ms", compare: "ratio", atMost: 2, hasFloor: true },
  { of: "rate", name: "deltas a second", unit: "", compare: "ratio" }
] as const

/** So for many, which take long: how low Effect's HTTP can be is known from the few. */
const crowded = paced.map((shown) => ({ ...shown, hasFloor: false }))

/** How long the model of `begin` thinks, in milliseconds. */
const thinking = 50

/** What streams cost beside the bare relay. */
export const measure = Effect.fnUntraced(function* (rig: Rig.Rig, size: Size) {
  const { burst, few, many, rounds, seconds, turns } = size
  const bursts = Trials.burst(burst.streams, burst.deltas)
  // What the engine has not compiled yet is nobody's cost.
  yield* Compare.inTurn(
    Math.min(4, rounds),
    [rig.relay, rig.server, rig.platform].map((target) => bursts(rig, target))
  )
  const compare = <Name extends string>(
    group: string,
    trial: Trials.Trial<Name>,
    shown: ReadonlyArray<Compare.Shown<Name>>
  ) => Compare.withRelay(rig, rounds, group, trial, shown)
  return [
    ...(yield* compare("burst", bursts, [{ ...cpu, name: "CPU per delta", atMost: 1.5, hasFloor: true }])),
    ...(yield* compare(
      "burst, each chunk padded to hide its length",
      Trials.burst(burst.streams, burst.deltas, "padded"),
      [{ ...cpu, name: "CPU per delta", atMost: 1.5 }]
    )),
    ...(yield* compare(`${few} streams, 50 deltas a second each`, Trials.paced(few, seconds), paced)),
    ...(yield* compare(`${many} streams, 50 deltas a second each`, Trials.paced(many, seconds), crowded)),
    ...(yield* compare(`a model that thinks for ${thinking} ms`, Trials.begin(turns, thinking), [
      { of: "start", name: "time to `turn_start`", unit: "ms", compare: "difference", atMost: thinking },
      { of: "first", name: "time to the first delta", unit: "ms", compare: "difference" }
    ])),
    ...(yield* compare(`${many} open streams`, Trials.memory(many), [
      {
        of: "heap",
        name: "memory of each, heap and buffers",
        unit: "kB",
        compare: "difference",
        atMost: 40,
        hasFloor: true
      },
      { of: "resident", name: "memory of each, resident", unit: "kB", compare: "difference" }
    ])),
    ...(yield* compare("mode `none`, 20 deltas, eight at a time", Trials.none(turns * 5), [
      { ...cpu, name: "CPU per turn with its commits" }
    ]))
  ]
})
