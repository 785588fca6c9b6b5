import { Effect, Option, Schedule, Stream } from "effect"
import type { SessionId } from "../protocol/Session.ts"
import type { StopReason, StreamMode } from "../protocol/Turn.ts"
import type { TurnEvent } from "../protocol/TurnEvent.ts"
import type { Principal } from "../session/Session.ts"
import type { SessionStore } from "../session/SessionStore.ts"
import * as Replay from "../history/Replay.ts"
import type { Turn } from "./TurnRunner.ts"

/** How often a turn that runs, here or on another server, is asked whether it is over. */
const pace = Schedule.spaced("250 millis")

const stop = (stopReason: StopReason): TurnEvent => ({ event: "turn_stop", data: { stopReason } })

/**
 * A turn that was begun before under the same key: its events are told again once it is over, whoever runs it. It holds no
 * lease, and leaving it ends nothing. It has no span and no metrics of a turn, which the first request's has; its own request
 * says `aap.turn.repeated`.
 */
export const make = (
  store: SessionStore["Service"],
  owner: Principal,
  id: SessionId,
  key: string,
  mode: StreamMode
): Turn => {
  const ended = store.remembered(owner, id, key).pipe(
    Effect.repeat({ schedule: pace, while: (turn) => Option.isSome(turn) && turn.value._tag === "Running" }),
    // Four spans a second, for as long as the other turn runs, would tell nobody anything.
    Effect.withTracerEnabled(false),
    Effect.map((turn) =>
      Option.isSome(turn) && turn.value._tag === "Ended"
        ? Replay.events(
            turn.value.entries.map(({ message }) => message),
            turn.value.stopReason
          )
        : [stop("error")]
    ),
    Effect.catch((error) => Effect.as(Effect.logWarning("a turn could not be told again", error), [stop("error")]))
  )
  return {
    mode,
    onDisconnect: "interrupt",
    events: Stream.concat(
      Stream.succeed<TurnEvent>({ event: "turn_start", data: {} }),
      Stream.unwrap(Effect.map(ended, Stream.fromIterable))
    ),
    abandon: Effect.succeed([stop("error")]),
    within: Effect.annotateLogs({ sessionId: id })
  }
}
