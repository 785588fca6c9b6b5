import { Effect } from "effect"
import type { Figure } from "./Figure.ts"
import type * as Rig from "./Rig.ts"
import type { Trial } from "./Trials.ts"

/** One name of a trial, as it is shown. */
export type Shown<Name extends string> = Pick<Figure, "name" | "unit" | "compare" | "atMost"> & { readonly of: Name }

/** Several goes, in turn and in turned order each time, so that what else the machine does falls on all of them. */
export const inTurn = Effect.fnUntraced(function* <A>(rounds: number, goes: ReadonlyArray<Effect.Effect<A>>) {
  const results = goes.map((): Array<A> => [])
  for (let round = 0; round < rounds; round++) {
    const order = [...goes.entries()]
    for (const [index, go] of round % 2 === 0 ? order : order.reverse()) results[index]?.push(yield* go)
  }
  return results
})

/** A trial of the server beside the bare relay. */
export const withRelay = Effect.fnUntraced(function* <Name extends string>(
  rig: Rig.Rig,
  rounds: number,
  group: string,
  trial: Trial<Name>,
  shown: ReadonlyArray<Shown<Name>>
) {
  const [relay = [], server = []] = yield* inTurn(rounds, [trial(rig, rig.relay), trial(rig, rig.server)])
  return shown.map(
    ({ of, ...figure }): Figure => ({
      ...figure,
      group,
      against: "bare relay",
      ours: server.map((result) => result[of]),
      base: relay.map((result) => result[of])
    })
  )
})
