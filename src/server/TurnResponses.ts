import { NodeHttpServerRequest } from "@effect/platform-node"
import { type Cause, Clock, Context, Duration, Effect, Metric, Predicate, Queue, Schema, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Transcript from "../history/Transcript.ts"
import { type StopReason, type StreamMode, TurnResponse } from "../protocol/Turn.ts"
import type { TurnEvent } from "../protocol/TurnEvent.ts"
import { view } from "../turn/StreamMode.ts"
import type { Turn } from "../turn/TurnRunner.ts"
import { ActiveTurns } from "./ActiveTurns.ts"
import * as Sse from "./Sse.ts"

/** How long a stream may be silent before a heartbeat, and unread before it is ended. */
export const StreamTimeouts = Context.Reference<{
  readonly heartbeat: Duration.Duration
  readonly stall: Duration.Duration
}>("effect-aap/StreamTimeouts", {
  defaultValue: () => ({ heartbeat: Duration.seconds(15), stall: Duration.seconds(60) })
})

/** How many buffers may wait for the client before the turn waits with them. */
const queueCapacity = 16

/** Streams that are open now. */
export const activeStreams = Metric.gauge("aap.streams.active", {
  description: "Streams that are open now",
  attributes: { unit: "{stream}" }
})

const encodeResponse = Schema.encodeSync(TurnResponse)

/** Runs a turn and answers with one JSON body. */
export const json = Effect.fnUntraced(function* <E>(accept: Effect.Effect<Turn, E>) {
  let transcript = Transcript.empty
  let stopReason: StopReason = "error"
  const hear = (events: ReadonlyArray<TurnEvent>) =>
    Effect.sync(() => {
      for (const event of events) {
        transcript = Transcript.apply(transcript, event)
        if (event.event === "turn_stop") stopReason = event.data.stopReason
      }
    })
  const { ended } = yield* (yield* ActiveTurns).run(accept, { hear, end: hear })
  yield* ended
  return HttpServerResponse.jsonUnsafe(encodeResponse({ stopReason, messages: Transcript.messages(transcript) }))
})

/** The socket's response, where there is a socket. */
const nodeResponse = Effect.map(HttpServerRequest.HttpServerRequest, (request) =>
  Predicate.hasProperty(request, "response") ? NodeHttpServerRequest.toServerResponse(request) : undefined
)

/**
 * Runs a turn and answers with its events as they come.
 *
 * 1. What waits for the client is bounded; the turn waits when it is full.
 * 2. A comment is sent whenever nothing else was for a heartbeat's time.
 * 3. A client that stays but takes nothing for the stall's time is cut off, which ends its turn.
 */
export const sse = Effect.fnUntraced(function* <E>(mode: Exclude<StreamMode, "none">, accept: Effect.Effect<Turn, E>) {
  const clock = yield* Clock.Clock
  const { heartbeat, stall } = yield* StreamTimeouts
  const response = yield* nodeResponse
  yield* Effect.acquireRelease(Metric.modify(activeStreams, 1), () => Metric.modify(activeStreams, -1))
  const queue = yield* Queue.bounded<Uint8Array, Cause.Done>(queueCapacity)
  let last: Uint8Array = new Uint8Array()
  let sentAt = clock.currentTimeMillisUnsafe()
  let taken = 0

  yield* (yield* ActiveTurns).run(accept, {
    hear: (events) => {
      const shown = view(mode, events)
      if (shown.length === 0) return Effect.void
      sentAt = clock.currentTimeMillisUnsafe()
      return Queue.offer(queue, Sse.encode(shown))
    },
    end: (events) => {
      last = Sse.encode(view(mode, events))
      return Queue.end(queue)
    }
  })

  const beat = Effect.sync(() => {
    const now = clock.currentTimeMillisUnsafe()
    if (now - sentAt < Duration.toMillis(heartbeat) || Queue.isFullUnsafe(queue)) return
    sentAt = now
    Queue.offerUnsafe(queue, Sse.heartbeat)
  })
  const beats = beat.pipe(
    Effect.andThen(
      Effect.suspend(() => Effect.sleep(Duration.toMillis(heartbeat) - (clock.currentTimeMillisUnsafe() - sentAt)))
    ),
    Effect.forever
  )
  const watch = Effect.gen(function* () {
    const before = taken
    yield* Effect.sleep(stall)
    if (taken !== before || Queue.sizeUnsafe(queue) === 0) return
    yield* Effect.logWarning("a client stopped reading its stream and was cut off")
    response?.destroy()
  }).pipe(Effect.forever)
  yield* Effect.forkScoped(Effect.all([beats, watch], { concurrency: "unbounded" }))
  yield* Effect.addFinalizer(() => Queue.shutdown(queue))

  const body = Stream.fromQueue(queue).pipe(
    Stream.mapArray((buffers) => {
      taken++
      return buffers
    }),
    Stream.concat(Stream.suspend(() => (last.length === 0 ? Stream.empty : Stream.succeed(last))))
  )
  return HttpServerResponse.stream(body, { headers: Sse.headers, contentType: Sse.headers["content-type"] })
})
