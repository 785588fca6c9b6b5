import { DateTime } from "effect"
import { ScrollRegion } from "../ScrollRegion.tsx"
import type { Chat } from "../chat/Chat.ts"

/** How many events are shown, latest first. */
const shown = 300

/** How much of an event is shown, in characters. */
const longest = 2000

const cut = (text: string): string => (text.length > longest ? `${text.slice(0, longest)}…` : text)

const iso = (at: number): string => DateTime.formatIso(DateTime.makeUnsafe(at))

const clock = (at: number): string => iso(at).slice(11, 23)

/** The events as they came, latest first, each with its time (UTC). */
export const Timeline = ({ chat: { heard, timeline } }: { readonly chat: Chat }) => (
  <ScrollRegion kind="scroll" label="Timeline">
    {timeline.length === 0 ? <p class="hint">Nothing has happened yet.</p> : null}
    {heard > shown ? (
      <p class="hint">
        The latest {shown} of {heard} events.
      </p>
    ) : null}
    <ol class="timeline" aria-label="Events, latest first" reversed>
      {timeline
        .slice(-shown)
        .toReversed()
        .map(({ at, event }, index) => (
          <li key={heard - index}>
            <time dateTime={iso(at)}>{clock(at)}</time> <strong>{event.event}</strong>{" "}
            <code>{cut(JSON.stringify(event.data))}</code>
          </li>
        ))}
    </ol>
  </ScrollRegion>
)
