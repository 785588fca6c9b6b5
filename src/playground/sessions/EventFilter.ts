import type { TimedEvent } from "../chat/Chat.ts"

/** The name of an event of a session. */
export type EventType = TimedEvent["event"]["event"]

/** How often events of each type came, in the order in which the types came first. */
export const counts = (timeline: ReadonlyArray<TimedEvent>): ReadonlyMap<EventType, number> => {
  const counted = new Map<EventType, number>()
  for (const { event } of timeline) counted.set(event.event, (counted.get(event.event) ?? 0) + 1)
  return counted
}

/** The events whose types are not hidden, in their order; the very same list where none is. */
export const shown = (
  timeline: ReadonlyArray<TimedEvent>,
  hidden: ReadonlySet<EventType>
): ReadonlyArray<TimedEvent> =>
  hidden.size === 0 ? timeline : timeline.filter(({ event }) => !hidden.has(event.event))

/** The hidden types once one was turned on, or off. */
export const toggle = (hidden: ReadonlySet<EventType>, type: EventType): ReadonlySet<EventType> =>
  hidden.has(type) ? new Set([...hidden].filter((other) => other !== type)) : new Set([...hidden, type])
