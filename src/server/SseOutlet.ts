import type { Writable } from "node:stream"
import { type Clock, Duration, Effect, Latch, Stream } from "effect"
import * as Sse from "./Sse.ts"

/** Where the events of a turn leave for their client: the socket's response, written to from the turn's own fiber. */
export interface SseOutlet {
  /** The body of the response: it writes nothing by itself, and lasts until `end`. */
  readonly body: Stream.Stream<never>
  /** Writes some events; waits while the client takes nothing. */
  readonly write: (events: string) => Effect.Effect<void>
  /** Writes the last events, waiting for nobody. */
  readonly end: (events: string) => Effect.Effect<void>
  /** Sends heartbeats and cuts off a client that has stalled, for as long as it runs. */
  readonly tend: (timeouts: SseTimeouts) => Effect.Effect<void>
  /** The client is gone: what is still written goes nowhere, and nothing waits. */
  readonly leave: Effect.Effect<void>
}

/** How long a stream may be silent before a heartbeat, and unread before it is cut off. */
export interface SseTimeouts {
  readonly heartbeat: Duration.Duration
  readonly stall: Duration.Duration
}

/** What is needed of Node's response, of any version of HTTP. */
export type Response = Pick<Writable, "destroyed" | "destroy" | "on" | "off"> & {
  readonly write: (text: string) => boolean
}

/**
 * 1. Nothing is written before the response's head is, which is when its body is run.
 * 2. A write that fills Node's buffer is the last until that has drained.
 * 3. One fiber tends a stream, and one timer: it sleeps for as long as nothing can be due, whatever was written meanwhile.
 */
export const make = (response: Response, clock: Clock.Clock): SseOutlet => {
  const writable = Latch.makeUnsafe(false)
  const over = Latch.makeUnsafe(false)
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
    writable.closeUnsafe()
    return false
  }

  const write = (events: string): Effect.Effect<void> => {
    if (events === "") return Effect.void
    if (isRunning || isGone) return send(events) ? Effect.void : writable.await
    held += events
    return writable.await
  }

  const drained = () => {
    fullSince = undefined
    writable.openUnsafe()
  }

  const leave = Effect.sync(() => {
    isGone = true
    response.off("drain", drained)
    writable.openUnsafe()
  })

  const run = Effect.sync(() => {
    isRunning = true
    response.on("drain", drained)
    // Whoever waits goes on at once, and must not be before what was held.
    if (held === "" || send(held)) writable.openUnsafe()
  })

  const tend = ({ heartbeat, stall }: SseTimeouts) => {
    const beat = Duration.toMillis(heartbeat)
    const patience = Duration.toMillis(stall)
    const pause = (now: number): number =>
      fullSince === undefined ? Math.min(sentAt + beat - now, patience) : fullSince + patience - now
    const act = Effect.suspend(() => {
      const now = clock.currentTimeMillisUnsafe()
      if (fullSince === undefined) {
        if (isRunning && now - sentAt >= beat) send(Sse.heartbeat)
        else if (now - sentAt >= beat) sentAt = now
        return Effect.void
      }
      if (now - fullSince < patience) return Effect.void
      response.destroy()
      return Effect.andThen(Effect.logWarning("a client stopped reading its stream and was cut off"), Effect.never)
    })
    return Effect.suspend(() => Effect.sleep(Math.max(0, pause(clock.currentTimeMillisUnsafe())))).pipe(
      Effect.andThen(act),
      Effect.forever
    )
  }

  return {
    body: Stream.fromEffectDrain(Effect.andThen(run, over.await)),
    write,
    end: (events) =>
      Effect.sync(() => {
        if (!isRunning) held += events
        else if (events !== "") send(events)
        over.openUnsafe()
      }),
    tend,
    leave
  }
}
