import { ScrollRegion } from "../ScrollRegion.tsx"
import type { TimedEvent } from "../chat/Chat.ts"

/** How much of an event is written out, in characters. */
const longest = 100_000

const cut = (text: string): string => (text.length > longest ? `${text.slice(0, longest)}…` : text)

/** An event with all that it says. */
export const EventView = ({ timed: { event } }: { readonly timed: TimedEvent }) => (
  <ScrollRegion kind="scroll" label="Chosen event">
    <strong>{event.event}</strong>
    <pre>{cut(JSON.stringify(event.data, null, 2))}</pre>
  </ScrollRegion>
)
