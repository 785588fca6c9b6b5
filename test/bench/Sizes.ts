/** How much is measured. */
export interface Size {
  readonly rounds: number
  /** How long a paced stretch is watched, in seconds. */
  readonly seconds: number
  readonly burst: { readonly streams: number; readonly deltas: number }
  readonly few: number
  readonly many: number
  /** How many turns are begun one after the other, and how many run in mode `none`. */
  readonly turns: number
  /** Lengths of histories, in messages; the first is what the others are compared to. */
  readonly lengths: ReadonlyArray<number>
  /** How many turns a history has at a time. */
  readonly historyTurns: number
  /** How many sessions there are in a short list and in a long one. */
  readonly sessions: readonly [number, number]
}

/** What the results are of. */
export const full: Size = {
  rounds: 5,
  seconds: 4,
  burst: { streams: 10, deltas: 20_000 },
  few: 100,
  many: 1000,
  turns: 40,
  lengths: [10, 100, 1000, 10_000],
  historyTurns: 5,
  sessions: [1000, 100_000]
}

/** Whether everything works, in seconds. */
export const quick: Size = {
  rounds: 1,
  seconds: 0.3,
  burst: { streams: 4, deltas: 200 },
  few: 10,
  many: 20,
  turns: 4,
  lengths: [10, 100],
  historyTurns: 1,
  sessions: [200, 2000]
}
