import type { Permission } from "../../client/ClientSession.ts"
import { isSame, memo } from "../Memo.tsx"
import type { Entry } from "./Entry.ts"
import { EntryView } from "./EntryView.tsx"

interface Props {
  readonly entries: ReadonlyArray<Entry>
  readonly onPermit: (toolCallId: string, permission: Permission) => void
  readonly onAnswer: (toolCallId: string, content: string) => void
}

/** How many entries are compared as one, so that a long chat costs little where its end alone grows. */
export const groupLength = 50

/** The entries in groups, each of which begins where it began before while entries are added at the end. */
export const groups = (entries: ReadonlyArray<Entry>): ReadonlyArray<ReadonlyArray<Entry>> =>
  Array.from({ length: Math.ceil(entries.length / groupLength) }, (_, index) =>
    entries.slice(index * groupLength, (index + 1) * groupLength)
  )

/** Whether two groups show the same: the very same entries, with the same ways to answer. */
export const areSame = ({ entries, ...rest }: Props, { entries: others, ...otherRest }: Props): boolean =>
  isSame(rest, otherRest) &&
  entries.length === others.length &&
  entries.every((entry, index) => entry === others[index])

/** What was typed about one call is not kept for another one. */
const keyOf = (entry: Entry, index: number): string =>
  entry.kind === "call" ? `${index} ${entry.call.toolCallId}` : `${index}`

const EntryItem = memo(EntryView)

const Group = memo(
  ({ entries, onAnswer, onPermit }: Props) => (
    <>
      {entries.map((entry, index) => (
        <EntryItem key={keyOf(entry, index)} entry={entry} onPermit={onPermit} onAnswer={onAnswer} />
      ))}
    </>
  ),
  areSame
)

/** All that stands in a chat. An entry that is the very same as before is not rendered again. */
export const EntryList = ({ entries, onAnswer, onPermit }: Props) => (
  <>
    {groups(entries).map((group, index) => (
      <Group key={index} entries={group} onPermit={onPermit} onAnswer={onAnswer} />
    ))}
  </>
)
