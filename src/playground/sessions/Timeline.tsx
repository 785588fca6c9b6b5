import type { TimedEvent } from "../chat/Chat.ts"

/** How many events are shown, latest first. */
const shown = 300

const clock = (at: number): string => new Date(at).toISOString().slice(11, 23)

/** The events as they came, latest first, each with its time (UTC). */
export const Timeline = ({ timeline }: { readonly timeline: ReadonlyArray<TimedEvent> }) => (
  <div class="scroll">
    {timeline.length === 0 ? <p class="hint">Nothing has happened yet.</p> : null}
    {timeline.length > shown ? (
      <p class="hint">
        The latest {shown} of {timeline.length} events.
      </p>
    ) : null}
    <ol class="timeline" aria-label="Events, latest first" reversed>
      {timeline
        .slice(-shown)
        .toReversed()
        .map(({ at, event }, index, all) => (
          <li key={all.length - index}>
            <time dateTime={new Date(at).toISOString()}>{clock(at)}</time> <strong>{event.event}</strong>{" "}
            <code>{JSON.stringify(event.data)}</code>
          </li>
        ))}
    </ol>
  </div>
)
