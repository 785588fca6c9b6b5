import { Schema } from "effect"
import { StopReason } from "../protocol/Turn.ts"

/** A request that may be sent again: its key, and what tells its body from another's. */
export interface RequestKey {
  readonly key: string
  readonly fingerprint: string
}

/** How long a key is remembered, in milliseconds: a day. */
export const memory = 24 * 60 * 60 * 1000

/** How many of a session's turns are remembered by their keys. */
const kept = 20

/**
 * A turn that was begun under a key, at a time in milliseconds. What it told stands in the history at the positions `told`,
 * and from `from` to before `to`; `to` and `stopReason` are absent while it runs.
 */
export const KeyedTurn = Schema.Struct({
  key: Schema.String,
  fingerprint: Schema.String,
  at: Schema.Finite,
  told: Schema.Array(Schema.Int),
  from: Schema.Int,
  to: Schema.optionalKey(Schema.Int),
  stopReason: Schema.optionalKey(StopReason)
})
export type KeyedTurn = typeof KeyedTurn.Type

/** The turn of a key, as long as it is remembered. */
export const find = (turns: ReadonlyArray<KeyedTurn>, key: string, now: number): KeyedTurn | undefined =>
  turns.find((turn) => turn.key === key && now - turn.at < memory)

/** The turns with those that still run ended: before the position that comes next. */
export const end = (turns: ReadonlyArray<KeyedTurn>, to: number, stopReason: StopReason): ReadonlyArray<KeyedTurn> =>
  turns.map((turn) => (turn.to === undefined ? { ...turn, to, stopReason } : turn))

/** The turns with one more; the oldest are forgotten. */
export const add = (turns: ReadonlyArray<KeyedTurn>, turn: KeyedTurn): ReadonlyArray<KeyedTurn> =>
  [...turns.filter(({ at, key }) => key !== turn.key && turn.at - at < memory), turn].slice(-kept)

/** Whether what stands at a position was told by a turn. */
export const tells = ({ from, to, told }: KeyedTurn, position: number): boolean =>
  told.includes(position) || (position >= from && position < (to ?? Number.POSITIVE_INFINITY))
