import type { Permission } from "../../client/ClientSession.ts"
import { jsonBlock, onOneLine, undirected } from "../../client/Printable.ts"
import { AnswerForm } from "./AnswerForm.tsx"
import { ContentView } from "./ContentView.tsx"
import type { CallEntry } from "./Entry.ts"
import { PermissionForm } from "./PermissionForm.tsx"

const statuses = {
  open: "not answered yet",
  permission: "waits for your permission",
  answer: "waits for your answer",
  granted: "approved",
  denied: "denied",
  answered: "answered",
  elsewhere: "answered elsewhere"
} as const

interface Props {
  readonly entry: CallEntry
  readonly onPermit: (toolCallId: string, permission: Permission) => void
  readonly onAnswer: (toolCallId: string, content: string) => void
}

/** A call to the letter, what is asked of the user about it, and what came of it. */
export const CallView = ({ entry, onAnswer, onPermit }: Props) => {
  const { toolCallId, input } = entry.call
  const name = onOneLine(entry.call.name)
  return (
    <article class={`call ${entry.status}`} aria-label={`Call of ${name}`}>
      <p>
        <code>{name}</code> <span class="status">{statuses[entry.status]}</span>
        {entry.reason === undefined ? null : <span>: {undirected(entry.reason)}</span>}
      </p>
      <pre>{jsonBlock(input)}</pre>
      {entry.status === "permission" ? (
        <PermissionForm name={name} onDecide={(permission) => onPermit(toolCallId, permission)} />
      ) : null}
      {entry.status === "answer" ? (
        <AnswerForm name={name} onAnswer={(content) => onAnswer(toolCallId, content)} />
      ) : null}
      {entry.result === undefined ? null : (
        <details open class="result">
          <summary>Result</summary>
          <ContentView content={entry.result} />
        </details>
      )}
    </article>
  )
}
