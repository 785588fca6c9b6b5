import { Effect, Queue, Ref, Stream } from "effect"
import type { SessionError } from "../client/AgentError.ts"
import type { ClientSession, SessionEvent, Update } from "../client/ClientSession.ts"
import type { StopReason } from "../protocol/Turn.ts"
import type { ChatScreen } from "./ChatScreen.ts"
import type { CommandFailed } from "./CommandFailed.ts"
import * as ChatView from "./ChatView.ts"
import { jsonLine } from "../client/Printable.ts"
import type { LocalServices } from "./LocalTools.ts"

/** How what was said has ended: with the stop reason of its last turn, or left, by somebody or because nobody was there. */
export type TurnEnd = StopReason | "left"

/** A way for a decision to end the turn that waits for it, with its call left open. */
export interface Leaving {
  readonly leave: Effect.Effect<never>
  /** Waits until the turn is left. */
  readonly left: Effect.Effect<void>
  /** Forgets how the turn before was left. */
  readonly reset: Effect.Effect<void>
}

/** A way to leave turns. */
export const makeLeaving = Effect.map(
  Queue.dropping<void>(1),
  (queue): Leaving => ({
    leave: Effect.andThen(Queue.offer(queue, undefined), Effect.never),
    left: Queue.take(queue),
    reset: Effect.asVoid(Queue.clear(queue))
  })
)

/** How a turn is run. */
export interface TurnOptions {
  readonly screen: ChatScreen["Service"]
  readonly session: ClientSession<LocalServices>
  readonly leaving: Leaving
  readonly json: boolean
  /** What else the turn is left for, such as a key that was pressed. */
  readonly stop: Effect.Effect<void>
}

/** Shows what happens in a session until it ends or is left. What was shown last ends its line, however that was. */
export const run = Effect.fnUntraced(function* (
  { json, leaving, screen, session, stop }: TurnOptions,
  updates: Stream.Stream<Update, SessionError, LocalServices>
) {
  const view = yield* Ref.make(ChatView.after(yield* session.openCalls))
  const stopReason = yield* Ref.make<StopReason>("end_turn")
  const shown = (event: SessionEvent) =>
    json
      ? screen.write([{ to: "answer", text: `${jsonLine(event)}\n`, dim: false }])
      : Effect.flatMap(
          Ref.modify(view, (view) => {
            const [next, pieces] = ChatView.show(view, event)
            return [pieces, next]
          }),
          screen.write
        )
  const told = Stream.runForEach(updates, ({ event }) =>
    Effect.andThen(event.event === "turn_stop" ? Ref.set(stopReason, event.data.stopReason) : Effect.void, shown(event))
  )
  const ended: Effect.Effect<TurnEnd, SessionError | CommandFailed, LocalServices> = Effect.andThen(
    told,
    Ref.get(stopReason)
  )
  yield* leaving.reset
  return yield* Effect.raceFirst(ended, Effect.as(Effect.raceFirst(leaving.left, stop), "left" as const)).pipe(
    Effect.ensuring(Effect.flatMap(Ref.get(view), (view) => Effect.ignore(screen.write(ChatView.end(view)[1]))))
  )
})
