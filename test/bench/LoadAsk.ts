/** Streams, or whole answers, to be asked for. */
export interface Opened {
  readonly kind: "open"
  readonly port: number
  readonly mode: "stream" | "whole"
  readonly paths: ReadonlyArray<string>
  readonly body: string
  /** How many may be on their way at a time: to the first delta of a stream, or to the end of an answer. */
  readonly concurrency: number
}

/** What the load generator is asked. */
export type LoadAsk =
  /** Creates sessions, one after the other; answers their ids. */
  | { readonly kind: "create"; readonly port: number; readonly bodies: ReadonlyArray<string> }
  /** Done once each stream had its first delta. */
  | Opened
  /** What was counted since the last time. */
  | { readonly kind: "tally" }
  /** Done once all that is open has ended. */
  | { readonly kind: "finish" }
  /** Reads so many pages of the list of sessions; answers how many milliseconds each took. */
  | { readonly kind: "walk"; readonly port: number; readonly pages: number }

/** What was counted; times in milliseconds. */
export interface Tally {
  readonly deltas: number
  /** From the model's write to the client's read, of each delta. */
  readonly ages: ReadonlyArray<number>
  /** From the request to `turn_start`, of each stream. */
  readonly starts: ReadonlyArray<number>
  /** From the request to the first delta, of each stream. */
  readonly firsts: ReadonlyArray<number>
  /** From the request to the end of the answer. */
  readonly wholes: ReadonlyArray<number>
}
