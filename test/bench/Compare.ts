import { Console, Effect } from "effect"
import type { Figure } from "./Figure.ts"
import type * as Rig from "./Rig.ts"
import type { Trial } from "./Trials.ts"

/** What the relay on Effect's HTTP is called. */
const floorName = "the relay on Effect's HTTP"

/** One name of a trial, as it is shown. */
export type Shown<Name extends string> = Pick<Figure, "name" | "unit" | "compare" | "atMost"> & {
  readonly of: Name
  /** Whether it is shown of the relay on Effect's HTTP too, which is how low it can be. */
  readonly hasFloor?: boolean
}

/** Several goes, in turn and in turned order each time, so that what else the machine does falls on all of them. */
export const inTurn = Effect.fnUntraced(function* <A, R>(
  rounds: number,
  goes: ReadonlyArray<Effect.Effect<A, never, R>>
) {
  const results = goes.map((): Array<A> => [])
  for (let round = 0; round < rounds; round++) {
    const order = [...goes.entries()]
    for (const [index, go] of round % 2 === 0 ? order : order.reverse()) results[index]?.push(yield* go)
  }
  return results
})

/** A trial of the server beside the bare relay, and of the relay on Effect's HTTP where it is shown. */
export const withRelay = Effect.fnUntraced(function* <Name extends string>(
  rig: Rig.Rig,
  rounds: number,
  group: string,
  trial: Trial<Name>,
  shown: ReadonlyArray<Shown<Name>>
) {
  yield* Console.error(`measuring: ${group}`)
  const targets = [rig.relay, rig.server, ...(shown.some(({ hasFloor }) => hasFloor) ? [rig.platform] : [])]
  const [relay = [], server = [], platform = []] = yield* inTurn(
    rounds,
    targets.map((target) => trial(rig, target))
  )
  return shown.flatMap(({ atMost, hasFloor = false, of, ...figure }): ReadonlyArray<Figure> => {
    const base = { ...figure, group, against: "bare relay", base: relay.map((result) => result[of]) }
    const ours = { ...base, ...(atMost === undefined ? {} : { atMost }), ours: server.map((result) => result[of]) }
    const floor = { ...base, name: `${figure.name} of ${floorName}`, ours: platform.map((result) => result[of]) }
    return hasFloor ? [ours, floor] : [ours]
  })
})
