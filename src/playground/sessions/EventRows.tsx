import { useId, useLayoutEffect, useRef, useState } from "preact/hooks"
import { ScrollRegion } from "../ScrollRegion.tsx"
import type { TimedEvent } from "../chat/Chat.ts"
import { EventRow } from "./EventRow.tsx"
import { rowWindow } from "./RowWindow.ts"

/** How high the style sheet makes a row, in root ems. */
const rowEms = 3.25

const rowPixels = (): number => rowEms * Number.parseFloat(getComputedStyle(document.documentElement).fontSize)

/** What is seen of the list: followed as it is scrolled and as it gets more room, and kept while rows come above it. */
const useSight = (events: ReadonlyArray<TimedEvent>) => {
  const region = useRef<HTMLElement>(null)
  const newest = events.at(-1)
  const before = useRef(newest)
  const [sight, setSight] = useState(() => ({ scrollTop: 0, height: 0, rowHeight: rowPixels() }))
  const look = () => {
    const { current } = region
    if (current === null) return
    setSight({ scrollTop: current.scrollTop, height: current.clientHeight, rowHeight: rowPixels() })
  }
  useLayoutEffect(() => {
    const observer = new ResizeObserver(look)
    if (region.current !== null) observer.observe(region.current)
    return () => observer.disconnect()
  }, [])
  useLayoutEffect(() => {
    const { current } = region
    const added = before.current === undefined ? 0 : events.length - 1 - events.lastIndexOf(before.current)
    if (current !== null && current.scrollTop > 0) current.scrollTop += added * sight.rowHeight
    before.current = newest
  }, [newest])
  return { look, region, sight }
}

interface Props {
  /** The events that are listed, in the order in which they came. */
  readonly events: ReadonlyArray<TimedEvent>
  readonly chosen: TimedEvent | undefined
  readonly onChoose: (timed: TimedEvent) => void
}

/** Events, latest first, of which one may be chosen. Only the rows in sight are there, however many events there are. */
export const EventRows = ({ chosen, events, onChoose }: Props) => {
  const group = useId()
  const total = events.length
  const { look, region, sight } = useSight(events)
  const { end, first } = rowWindow({ ...sight, rows: total })
  return (
    <ScrollRegion kind="scroll" label="Timeline" region={region} onScroll={look}>
      <ol
        class="event-rows"
        aria-label="Events, latest first"
        style={{ paddingTop: `${first * sight.rowHeight}px`, paddingBottom: `${(total - end) * sight.rowHeight}px` }}
      >
        {events
          .slice(total - end, total - first)
          .toReversed()
          .map((timed, row) => (
            <EventRow
              key={timed}
              timed={timed}
              position={first + row + 1}
              total={total}
              group={group}
              isChosen={timed === chosen}
              onChoose={onChoose}
            />
          ))}
      </ol>
    </ScrollRegion>
  )
}
