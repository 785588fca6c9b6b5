import type { Chat } from "../chat/Chat.ts"

/** How many events are shown, latest first. */
const shown = 300

const clock = (at: number): string => new Date(at).toISOString().slice(11, 23)

/** The events as they came, latest first, each with its time (UTC). */
export const Timeline = ({ chat: { heard, timeline } }: { readonly chat: Chat }) => (
  <div class="scroll">
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
            <time dateTime={new Date(at).toISOString()}>{clock(at)}</time> <strong>{event.event}</strong>{" "}
            <code>{JSON.stringify(event.data)}</code>
          </li>
        ))}
    </ol>
  </div>
)
