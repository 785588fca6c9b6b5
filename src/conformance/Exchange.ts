import { Bytes, Effect, Ref } from "effect"

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

/** How much of a body is kept: characters of what is sent, bytes of what is received. */
export const maxBody = 20_000

const clip = (text: string): string =>
  text.length <= maxBody ? text : `${text.slice(0, maxBody)}\n… (${text.length - maxBody} more characters)`

/** What has come of a request so far. */
interface Received {
  readonly head: Pick<Exchange, "status" | "contentType">
  readonly kept: Uint8Array
  /** How many bytes were left out. */
  readonly left: number
}

const nothing: Received = { head: {}, kept: new Uint8Array(), left: 0 }

const receive = ({ head, kept, left }: Received, bytes: Uint8Array): Received => {
  const more = bytes.subarray(0, maxBody - kept.length)
  return { head, kept: Bytes.concat([kept, more]), left: left + bytes.length - more.length }
}

/** Decoded at once: a character may come in pieces. What is cut off within one is left out. */
const textOf = ({ kept, left }: Received): string => {
  const text = new TextDecoder().decode(kept, { stream: left > 0 })
  return left === 0 ? text : `${text}\n… (${left} more bytes)`
}

/** Adds what comes of a request. */
export interface Record {
  readonly answered: (head: Received["head"]) => Effect.Effect<void>
  readonly received: (bytes: Uint8Array) => Effect.Effect<void>
}

/** The exchanges of a rule, in the order in which they began. */
export interface Recorder {
  /** Keeps a request. */
  readonly begin: (request: Pick<Exchange, "method" | "path" | "sent">) => Effect.Effect<Record>
  readonly exchanges: Effect.Effect<ReadonlyArray<Exchange>>
}

/** A recorder with nothing on it. */
export const recorder = Effect.map(
  Ref.make<ReadonlyArray<Effect.Effect<Exchange>>>([]),
  (kept): Recorder => ({
    begin: Effect.fnUntraced(function* ({ sent, ...request }) {
      const received = yield* Ref.make(nothing)
      const exchange = Effect.map(Ref.get(received), (received) => ({
        ...request,
        ...(sent === undefined ? {} : { sent: clip(sent) }),
        ...received.head,
        received: textOf(received)
      }))
      yield* Ref.update(kept, (before) => [...before, exchange])
      return {
        answered: (head) => Ref.update(received, (before) => ({ ...before, head })),
        received: (bytes) => Ref.update(received, (before) => receive(before, bytes))
      }
    }),
    exchanges: Effect.flatMap(Ref.get(kept), Effect.all)
  })
)
