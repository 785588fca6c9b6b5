import { Effect, Ref } from "effect"

/** What was asked of a server, and what it answered. An answer that did not come has no status. */
export interface Exchange {
  readonly method: string
  readonly path: string
  /** The request's body, as it was sent. */
  readonly sent?: string
  readonly status?: number
  readonly contentType?: string
  /** The answer's body, as far as it came. */
  readonly received: string
}

/** How much of a body is kept, in characters. */
export const maxBody = 20_000

const clip = (text: string): string =>
  text.length <= maxBody ? text : `${text.slice(0, maxBody)}\n… (${text.length - maxBody} more characters)`

/** The exchanges of a rule, in the order in which they began. */
export interface Recorder {
  /** Keeps a request; the effect that it gives adds what has come of it since. */
  readonly begin: (
    request: Omit<Exchange, "received">
  ) => Effect.Effect<(change: Partial<Exchange>) => Effect.Effect<void>>
  readonly exchanges: Effect.Effect<ReadonlyArray<Exchange>>
}

/** A recorder with nothing on it. */
export const recorder = Effect.map(
  Ref.make<ReadonlyArray<Exchange>>([]),
  (kept): Recorder => ({
    begin: ({ sent, ...request }) =>
      Ref.modify(kept, (before) => {
        const exchange: Exchange = { ...request, ...(sent === undefined ? {} : { sent: clip(sent) }), received: "" }
        const add = (change: Partial<Exchange>) =>
          Ref.update(kept, (all) =>
            all.map((other, index) =>
              index === before.length
                ? { ...other, ...change, received: clip(change.received ?? other.received) }
                : other
            )
          )
        return [add, [...before, exchange]]
      }),
    exchanges: Ref.get(kept)
  })
)
