import type { Permission } from "../../client/ClientSession.ts"
import { undirected } from "../../client/Printable.ts"
import { Markdown } from "../markdown/Markdown.tsx"
import { CallView } from "./CallView.tsx"
import { ContentView } from "./ContentView.tsx"
import * as Ending from "./Ending.ts"
import type { Entry } from "./Entry.ts"
import { ProblemNote } from "./ProblemNote.tsx"

interface Props {
  readonly entry: Entry
  readonly onPermit: (toolCallId: string, permission: Permission) => void
  readonly onAnswer: (toolCallId: string, content: string) => void
}

/** One entry of the chat. */
export const EntryView = ({ entry, onAnswer, onPermit }: Props) => {
  switch (entry.kind) {
    case "user":
    case "system":
      return (
        <article class={entry.kind} aria-label={entry.kind === "user" ? "You" : "System"}>
          <ContentView content={entry.content} />
          {entry.isUnsent ? <p class="hint">The server has not confirmed this message.</p> : null}
        </article>
      )
    case "text":
      return (
        <article class="agent" aria-label="Agent">
          <Markdown text={entry.text} />
        </article>
      )
    case "thinking":
      return (
        <details class="thinking">
          <summary>Thinking</summary>
          <p>{undirected(entry.text)}</p>
        </details>
      )
    case "call":
      return <CallView entry={entry} onPermit={onPermit} onAnswer={onAnswer} />
    case "stop":
      return <p class={`ending ${entry.reason}`}>{Ending.words[entry.reason]}</p>
    case "problem":
      return <ProblemNote problem={entry.problem} />
  }
}
