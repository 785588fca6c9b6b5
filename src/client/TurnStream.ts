import { Effect, Result, Schema, Stream } from "effect"
import { Sse } from "effect/encoding"
import type { HttpClientError } from "effect/http"
import { TurnEvent } from "../protocol/TurnEvent.ts"
import { type AgentError, InvalidAnswer, TurnUnfinished } from "./AgentError.ts"
import { connectionFailed } from "./Answer.ts"

const Event = Schema.Struct({ event: Schema.String, data: Schema.fromJsonString(Schema.Json) })
const decodeEvent = Schema.decodeResult(Event)
const decodeTurnEvent = Schema.decodeUnknownResult(TurnEvent)
const names = new Set<string>(TurnEvent.members.map(({ fields }) => fields.event.literal))

const toTurnEvent = ({ data, event }: { readonly event: string; readonly data: string }) =>
  Result.mapError(
    Result.flatMap(decodeEvent({ event, data }), decodeTurnEvent),
    ({ message }) => new InvalidAnswer({ message: `the event ${event} is none of the protocol's: ${message}` })
  )

const isStop = ({ event }: TurnEvent): boolean => event === "turn_stop"

/**
 * The events of a turn from the bytes of its answer.
 *
 * 1. However the bytes are cut, and whatever comments, ids and other fields stand between.
 * 2. Events that the protocol does not have are passed over; one of its own with other data is an `InvalidAnswer`.
 * 3. It ends with `turn_stop`, whatever the server sends behind it, and fails where none comes.
 */
export const read = (
  bytes: Stream.Stream<Uint8Array, HttpClientError.HttpClientError>
): Stream.Stream<TurnEvent, AgentError> =>
  Stream.suspend(() => {
    const told: Array<Sse.Event> = []
    const parser = Sse.makeParser((event) => {
      if (event._tag === "Event" && names.has(event.event)) told.push(event)
    })
    const feed = (text: string): ReadonlyArray<Result.Result<TurnEvent, InvalidAnswer>> => {
      const tooLarge = parser.feed(text)
      const events = told.splice(0).map(toTurnEvent)
      return tooLarge === undefined
        ? events
        : [...events, Result.fail(new InvalidAnswer({ message: tooLarge.message }))]
    }
    return bytes.pipe(
      Stream.mapError(connectionFailed("answer")),
      Stream.decodeText,
      Stream.map(feed),
      Stream.flattenIterable,
      Stream.mapEffect(Effect.fromResult),
      Stream.concat(Stream.fail(new TurnUnfinished())),
      Stream.takeUntil(isStop)
    )
  })
