import { Result, Schema } from "effect"

/** What one principal may have at a time, over all servers on one database. What is absent is neither limited nor counted. */
export interface Limits {
  /** How many of its sessions turns may run on. */
  readonly turns?: number
  /** How many sessions it may have. */
  readonly sessions?: number
}

/** As many turns of the principal run as may. Nothing was changed. */
export class TooManyTurns extends Schema.TaggedError<TooManyTurns>()("TooManyTurns", { limit: Schema.Int }) {
  override get message() {
    return `${this.limit} of your turns run already, the most that this server takes at a time; wait for a turn_stop`
  }
}

/** The principal has as many sessions as it may. Nothing was changed. */
export class TooManySessions extends Schema.TaggedError<TooManySessions>()("TooManySessions", { limit: Schema.Int }) {
  override get message() {
    return `you have ${this.limit} sessions, the most that this server keeps for one; delete one that you no longer need`
  }
}

/** Whether one more turn may run beside those that do. */
export const checkTurns = (limit: number, running: number): Result.Result<void, TooManyTurns> =>
  running < limit ? Result.void : Result.fail(new TooManyTurns({ limit }))

/** Whether there may be one more session. */
export const checkSessions = (limit: number, kept: number): Result.Result<void, TooManySessions> =>
  kept < limit ? Result.void : Result.fail(new TooManySessions({ limit }))
