import { useMemo, useState } from "preact/hooks"
import type { Chat, TimedEvent } from "../chat/Chat.ts"
import * as EventFilter from "./EventFilter.ts"
import { EventRows } from "./EventRows.tsx"
import { EventView } from "./EventView.tsx"
import { TypeFilter } from "./TypeFilter.tsx"

const nothing: ReadonlySet<EventFilter.EventType> = new Set()

/** The events as they came, of the types that the user wants to see. */
export const Timeline = ({ chat: { heard, timeline } }: { readonly chat: Chat }) => {
  const [hidden, setHidden] = useState(nothing)
  const [chosen, setChosen] = useState<TimedEvent>()
  const counts = useMemo(() => EventFilter.counts(timeline), [timeline])
  const events = useMemo(() => EventFilter.shown(timeline, hidden), [timeline, hidden])
  const leftOff = heard - timeline.length
  if (timeline.length === 0) return <p class="hint">Nothing has happened yet.</p>
  return (
    <>
      <TypeFilter counts={counts} hidden={hidden} onChange={setHidden} />
      {leftOff > 0 ? <p class="hint">{leftOff} earlier events are left off.</p> : null}
      {events.length === 0 ? <p class="hint">All of them are hidden.</p> : null}
      <EventRows key={[...hidden].join()} events={events} chosen={chosen} onChoose={setChosen} />
      {chosen === undefined || !events.includes(chosen) ? null : <EventView timed={chosen} />}
    </>
  )
}
