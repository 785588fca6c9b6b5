import { Effect, Result, Schema, Stream } from "effect"
import { Sse } from "effect/encoding"
import { TurnEvent } from "../protocol/TurnEvent.ts"
import { type AgentError, InvalidAnswer, TurnUnfinished } from "./AgentError.ts"

const Event = Schema.Struct({ event: Schema.String, data: Schema.fromJsonString(Schema.Json) })
const decodeEvent = Schema.decodeResult(Event)
const decodeTurnEvent = Schema.decodeUnknownResult(TurnEvent)
const names = new Set<string>(TurnEvent.members.map(({ fields }) => fields.event.literal))

/** Some servers leave out what is empty. */
const withDefaults = ({ data, event }: typeof Event.Type) => ({
  event,
  data: event === "tool_call" && typeof data === "object" ? { input: {}, ...data } : data
})

const toTurnEvent = ({ data, event }: { readonly event: string; readonly data: string }) =>
  Result.mapError(
    decodeEvent({ event, data: data === "" ? "{}" : data }).pipe(
      Result.map(withDefaults),
      Result.flatMap(decodeTurnEvent)
    ),
    ({ message }) => new InvalidAnswer({ message: `the event ${event} is none of the protocol's: ${message}` })
  )

const isStop = ({ event }: TurnEvent): boolean => event === "turn_stop"

/**
 * The events of a turn from the bytes of its answer.
 *
 * 1. However the bytes are cut, and whatever comments, ids and other fields stand between.
 * 2. Events that the protocol does not have are passed over; one of its own with other data is an `InvalidAnswer`. Data that
 *    is empty, and a call without `input`, are taken for empty objects.
 * 3. It ends with `turn_stop`, whatever the server sends behind it, and fails where none comes.
 */
export const read = (bytes: Stream.Stream<Uint8Array, AgentError>): Stream.Stream<TurnEvent, AgentError> =>
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
      Stream.decodeText,
      Stream.map(feed),
      Stream.flattenIterable,
      Stream.mapEffect(Effect.fromResult),
      Stream.concat(Stream.fail(new TurnUnfinished())),
      Stream.takeUntil(isStop)
    )
  })
