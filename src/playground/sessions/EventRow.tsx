import { DateTime } from "effect"
import { cut, jsonLine } from "../../client/Printable.ts"
import type { TimedEvent } from "../chat/Chat.ts"
import { memo } from "../Memo.tsx"

/** How much of an event a row has, in characters: there is room for less. */
const longest = 300

const iso = (at: number): string => DateTime.formatIso(DateTime.makeUnsafe(at))

const clock = (at: number): string => iso(at).slice(11, 23)

const Summary = memo(({ timed: { at, event } }: { readonly timed: TimedEvent }) => (
  <>
    <time dateTime={iso(at)}>{clock(at)}</time> <strong>{event.event}</strong>
    <code>{cut(jsonLine(event.data), longest)}</code>
  </>
))

interface Props {
  readonly timed: TimedEvent
  /** The row's place in the whole list, from 1. */
  readonly position: number
  /** How many rows the whole list has. */
  readonly total: number
  /** The name of the list's choice. */
  readonly group: string
  readonly isChosen: boolean
  readonly onChoose: (timed: TimedEvent) => void
}

/** One event of a list of which not all rows are there: its time (UTC), its type, and how its data begins. */
export const EventRow = ({ group, isChosen, onChoose, position, timed, total }: Props) => (
  <li aria-posinset={position} aria-setsize={total}>
    <label>
      <input type="radio" class="unseen" name={group} checked={isChosen} onChange={() => onChoose(timed)} />
      <Summary timed={timed} />
    </label>
  </li>
)
