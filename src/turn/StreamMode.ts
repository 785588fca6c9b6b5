import type { StreamMode } from "../protocol/Turn.ts"
import type { TurnEvent, TurnEventName } from "../protocol/TurnEvent.ts"

const always: ReadonlyArray<TurnEventName> = ["turn_start", "tool_call", "tool_result", "turn_stop"]

/** The events that each streaming mode shows. All of them together tell the same story in either. */
export const visible: Record<Exclude<StreamMode, "none">, ReadonlySet<TurnEventName>> = {
  delta: new Set([...always, "text_delta", "thinking_delta"]),
  message: new Set([...always, "text", "thinking"])
}

/** The part of a turn's events that a mode shows, in order. */
export const view = (mode: Exclude<StreamMode, "none">, events: ReadonlyArray<TurnEvent>): ReadonlyArray<TurnEvent> =>
  events.filter((event) => visible[mode].has(event.event))
