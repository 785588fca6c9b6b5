import type { Permission } from "../../client/ClientSession.ts"
import { Markdown } from "../markdown/Markdown.tsx"
import { CallView } from "./CallView.tsx"
import { ContentView } from "./ContentView.tsx"
import type { Entry } from "./Entry.ts"
import { ProblemNote } from "./ProblemNote.tsx"

const endings = {
  stopped: "You stopped the turn.",
  error: "The turn ended with an error.",
  refusal: "The agent refused.",
  max_tokens: "The turn ended at the limit of tokens.",
  tool_use: "The agent waits.",
  end_turn: "The turn ended."
} as const

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
          <p>{entry.text}</p>
        </details>
      )
    case "call":
      return <CallView entry={entry} onPermit={onPermit} onAnswer={onAnswer} />
    case "stop":
      return <p class={`ending ${entry.reason}`}>{endings[entry.reason]}</p>
    case "problem":
      return <ProblemNote problem={entry.problem} />
  }
}
