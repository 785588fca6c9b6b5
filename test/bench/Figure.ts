/** Something that was measured of two, round by round, so that each pair saw the same machine. */
export interface Figure {
  readonly group: string
  readonly name: string
  readonly unit: string
  /** What it is compared to, such as `bare relay`. */
  readonly against: string
  readonly compare: "ratio" | "difference"
  /** The most that the comparison is to come to; none where there is no target. */
  readonly atMost?: number
  readonly ours: ReadonlyArray<number>
  readonly base: ReadonlyArray<number>
}

/** A figure in short. */
export interface Summary {
  readonly ours: number
  readonly base: number
  readonly compared: number
  readonly least: number
  readonly most: number
}

const sorted = (values: ReadonlyArray<number>): ReadonlyArray<number> => [...values].sort((a, b) => a - b)

/** The value below which such a part of the others lies. */
export const quantile = (values: ReadonlyArray<number>, part: number): number => {
  const all = sorted(values)
  return all[Math.min(all.length - 1, Math.floor(all.length * part))] ?? Number.NaN
}

/** The value in the middle; the mean of the two where there are two. */
export const median = (values: ReadonlyArray<number>): number => {
  const all = sorted(values)
  const middle = all.length / 2
  return ((all[Math.ceil(middle) - 1] ?? Number.NaN) + (all[Math.floor(middle)] ?? Number.NaN)) / 2
}

/** Medians, and how the rounds compare: their median, least and most. */
export const summary = ({ base, compare, ours }: Figure): Summary => {
  const compared = ours.map((value, round) =>
    compare === "ratio" ? value / (base[round] ?? Number.NaN) : value - (base[round] ?? Number.NaN)
  )
  return {
    ours: median(ours),
    base: median(base),
    compared: median(compared),
    least: Math.min(...compared),
    most: Math.max(...compared)
  }
}
