import { Schema } from "effect"
import { TurnEvent } from "../protocol/TurnEvent.ts"

const encodeEvent = Schema.encodeSync(TurnEvent)

/** What every event stream is sent with: read as it comes, kept by nobody, buffered by no proxy. */
export const headers = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no"
} as const

/** A comment: it keeps the connection alive, and no client takes it for an event. */
export const heartbeat = ": heartbeat\n\n"

/** An event as it goes over the wire. A delta is what its Schema would encode it to, written without asking it: nothing is sent as often. */
const write = (event: TurnEvent): string => {
  if (event.event === "text_delta" || event.event === "thinking_delta")
    return `event: ${event.event}\ndata: {"delta":${JSON.stringify(event.data.delta)}}\n\n`
  const encoded = encodeEvent(event)
  return `event: ${encoded.event}\ndata: ${JSON.stringify(encoded.data)}\n\n`
}

/** Events as they go over the wire, in one piece; empty for none. */
export const encode = (events: ReadonlyArray<TurnEvent>): string => {
  let text = ""
  for (const event of events) text += write(event)
  return text
}
