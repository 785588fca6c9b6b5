import { type EventType, toggle } from "./EventFilter.ts"

interface Props {
  readonly counts: ReadonlyMap<EventType, number>
  readonly hidden: ReadonlySet<EventType>
  readonly onChange: (hidden: ReadonlySet<EventType>) => void
}

/** Chooses which types of events are shown, of those that came. */
export const TypeFilter = ({ counts, hidden, onChange }: Props) => (
  <fieldset class="filter">
    <legend>Types of events</legend>
    {[...counts].map(([type, count]) => (
      <label class="choice" key={type}>
        <input type="checkbox" checked={!hidden.has(type)} onChange={() => onChange(toggle(hidden, type))} />
        {type} ({count})
      </label>
    ))}
  </fieldset>
)
