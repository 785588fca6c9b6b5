const length = 12

/** The time, by the clock that all processes of a machine share, as the text of a delta: twelve characters. */
export const now = (): string => (process.hrtime.bigint() / 1000n).toString(36).padStart(length, "0")

/** How many milliseconds have passed since the delta that begins here was written. */
export const age = (text: string, start: number): number =>
  Number(process.hrtime.bigint() / 1000n) / 1000 - Number.parseInt(text.slice(start, start + length), 36) / 1000
