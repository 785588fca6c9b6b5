import { memo } from "../Memo.tsx"
import { ScrollRegion } from "../ScrollRegion.tsx"
import { cut, jsonBlock } from "../../client/Printable.ts"
import type { TimedEvent } from "../chat/Chat.ts"

/** How much of an event is written out, in characters. */
const longest = 100_000

/** An event with all that it says. */
export const EventView = memo(({ timed: { event } }: { readonly timed: TimedEvent }) => (
  <ScrollRegion kind="scroll" label="Chosen event">
    <strong>{event.event}</strong>
    <pre>{cut(jsonBlock(event.data), longest)}</pre>
  </ScrollRegion>
))
