import type { Writable } from "node:stream"
import { type Clock, Deferred, Effect, Stream } from "effect"
import * as Sse from "./Sse.ts"

/** Where the events of a turn leave for their client: the socket's response, written to from the turn's own fiber. */
export interface SseOutlet {
  /** The body of the response: it writes nothing by itself, and lasts until `end`. */
  readonly body: Stream.Stream<never>
  /** Writes some events; waits while the client takes nothing. */
  readonly write: (events: string) => Effect.Effect<void>
  /** Writes the last events, waiting for nobody. */
  readonly end: (events: string) => Effect.Effect<void>
  /** Sends a heartbeat if one is due, and cuts off a client that has stalled. */
  readonly tend: (timeouts: SseTimeouts) => Tended
  /** The client is gone: what is still written goes nowhere, and nothing waits. */
  readonly leave: Effect.Effect<void>
}

/** How long a stream may be silent before a heartbeat, and unread before it is cut off, in milliseconds. */
export interface SseTimeouts {
  readonly heartbeat: number
  readonly stall: number
}

/** What came of tending a stream: `pause` is how many milliseconds nothing can be due for, if nothing is written meanwhile. */
export type Tended = { readonly isCutOff: true } | { readonly isCutOff: false; readonly pause: number }

/** What is needed of Node's response, of any version of HTTP. */
export type Response = Pick<Writable, "destroyed" | "destroy" | "on" | "off"> & {
  readonly write: (text: string) => boolean
}

/**
 * 1. Nothing is written before the response's head is, which is when its body is run.
 * 2. A write that fills Node's buffer is the last until that has drained.
 */
export const make = (response: Response, clock: Clock.Clock): SseOutlet => {
  const over = Deferred.makeUnsafe<void>()
  let writable: Deferred.Deferred<void> | undefined
  let isRunning = false
  let isGone = false
  let held = ""
  let sentAt = clock.currentTimeMillisUnsafe()
  let fullSince: number | undefined

  const send = (events: string): boolean => {
    if (isGone || response.destroyed) return true
    sentAt = clock.currentTimeMillisUnsafe()
    if (response.write(events)) return true
    fullSince ??= sentAt
    return false
  }

  /** Waits, from this moment on, until the response takes more. */
  const ready = (): Effect.Effect<void> => {
    writable ??= Deferred.makeUnsafe<void>()
    return Deferred.await(writable)
  }

  const goOn = () => {
    const waiting = writable
    writable = undefined
    if (waiting !== undefined) Deferred.doneUnsafe(waiting, Effect.void)
  }

  const write = (events: string): Effect.Effect<void> => {
    if (events === "") return Effect.void
    if (isRunning || isGone) return send(events) ? Effect.void : ready()
    held += events
    return ready()
  }

  const drained = () => {
    fullSince = undefined
    goOn()
  }

  const leave = Effect.sync(() => {
    isGone = true
    response.off("drain", drained)
    goOn()
  })

  const run = Effect.sync(() => {
    isRunning = true
    response.on("drain", drained)
    // Whoever waits goes on at once, and must not be before what was held.
    if (held === "" || send(held)) goOn()
  })

  const tend = ({ heartbeat, stall }: SseTimeouts): Tended => {
    if (isGone || response.destroyed) return { isCutOff: false, pause: heartbeat }
    const now = clock.currentTimeMillisUnsafe()
    if (fullSince === undefined) {
      if (now - sentAt >= heartbeat) {
        if (isRunning) send(Sse.heartbeat)
        else sentAt = now
      }
      return { isCutOff: false, pause: sentAt + heartbeat - now }
    }
    const pause = fullSince + stall - now
    if (pause > 0) return { isCutOff: false, pause }
    response.destroy()
    return { isCutOff: true }
  }

  return {
    body: Stream.fromEffectDrain(Effect.andThen(run, Deferred.await(over))),
    write,
    end: (events) =>
      Effect.sync(() => {
        if (!isRunning) held += events
        else if (events !== "") send(events)
        Deferred.doneUnsafe(over, Effect.void)
      }),
    tend,
    leave
  }
}
