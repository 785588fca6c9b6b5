import { useState } from "preact/hooks"
import type { AgentClient } from "../../client/AgentClient.ts"
import type { SessionId } from "../../protocol/Session.ts"
import type { Chat } from "../chat/Chat.ts"
import { HistoryView } from "./HistoryView.tsx"
import { Timeline } from "./Timeline.tsx"

interface Props {
  readonly client: AgentClient["Service"]
  readonly chat: Chat
  readonly sessionId: SessionId | undefined
}

const views = [
  ["events", "Events"],
  ["full", "Full history"],
  ["compacted", "Compacted"]
] as const

/** What is behind the chat: its events as they came, and the history that the server keeps. */
export const Inspector = ({ chat, client, sessionId }: Props) => {
  const [view, setView] = useState<(typeof views)[number][0]>("events")
  return (
    <section class="panel events" aria-label="Events and history">
      <h2 class="unseen">Events and history</h2>
      <div class="bar tabs">
        {views.map(([name, title]) => (
          <button type="button" key={name} aria-pressed={view === name} onClick={() => setView(name)}>
            {title}
          </button>
        ))}
      </div>
      {view === "events" ? (
        <Timeline chat={chat} />
      ) : (
        <HistoryView client={client} sessionId={sessionId} type={view} isRunning={chat.isRunning} />
      )}
    </section>
  )
}
