import { NodeHttpServerRequest } from "@effect/platform-node"
import { Clock, Effect, Metric, Schema, Scope } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Transcript from "../history/Transcript.ts"
import { type StopReason, type StreamMode, TurnResponse } from "../protocol/Turn.ts"
import type { TurnEvent } from "../protocol/TurnEvent.ts"
import { view } from "../turn/StreamMode.ts"
import type { Turn } from "../turn/TurnRunner.ts"
import { ActiveTurns } from "./ActiveTurns.ts"
import * as Sse from "./Sse.ts"
import * as SseOutlet from "./SseOutlet.ts"
import { SseTender } from "./SseTender.ts"

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

/**
 * Runs a turn and answers with its events as they come. They go from the turn's own fiber to the socket's response: a queue
 * between the two, and a fiber that reads it, would cost each event of a paced model more than all else that is done to it.
 *
 * 1. What waits for the client is bounded by what Node buffers; the turn waits when it is full.
 * 2. A comment is sent whenever nothing else was for a heartbeat's time.
 * 3. A client that stays but takes nothing for the stall's time is cut off, which ends its turn.
 */
export const sse = Effect.fnUntraced(function* <E>(mode: Exclude<StreamMode, "none">, accept: Effect.Effect<Turn, E>) {
  const outlet = SseOutlet.make(
    NodeHttpServerRequest.toServerResponse(yield* HttpServerRequest.HttpServerRequest),
    yield* Clock.Clock
  )
  const close = Effect.andThen(outlet.leave, Metric.modify(activeStreams, -1))
  yield* Effect.uninterruptible(
    Effect.andThen(Metric.modify(activeStreams, 1), Scope.addFinalizer(yield* Effect.scope, close))
  )
  yield* (yield* ActiveTurns).run(accept, {
    hear: (events) => outlet.write(Sse.encode(view(mode, events))),
    end: (events) => outlet.end(Sse.encode(view(mode, events)))
  })
  yield* (yield* SseTender).tend(outlet)
  return HttpServerResponse.stream(outlet.body, { headers: Sse.headers, contentType: Sse.headers["content-type"] })
})
