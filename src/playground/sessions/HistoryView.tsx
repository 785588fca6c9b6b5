import { memo } from "../Memo.tsx"
import { Effect, Exit } from "effect"
import { useEffect, useState } from "preact/hooks"
import { ScrollRegion } from "../ScrollRegion.tsx"
import type { AgentClient } from "../../client/AgentClient.ts"
import { jsonBlock } from "../../client/Printable.ts"
import type { HistoryMessage } from "../../protocol/Message.ts"
import type { HistoryType, SessionId } from "../../protocol/Session.ts"
import { failureOf, type Problem } from "../chat/Problem.ts"
import { ProblemNote } from "../chat/ProblemNote.tsx"

interface Props {
  readonly client: AgentClient["Service"]
  readonly sessionId: SessionId | undefined
  readonly type: HistoryType
  /** What a turn adds is read once it has ended. */
  readonly isRunning: boolean
}

/** A session's history as the server has it. */
export const HistoryView = memo(({ client, isRunning, sessionId, type }: Props) => {
  const [messages, setMessages] = useState<ReadonlyArray<HistoryMessage>>()
  const [problem, setProblem] = useState<Problem>()
  useEffect(() => {
    setMessages(undefined)
    setProblem(undefined)
    if (sessionId === undefined) return
    return Effect.runCallback(client.history(sessionId, type), {
      onExit: (exit) => {
        if (Exit.hasInterrupts(exit)) return
        if (Exit.isFailure(exit)) setProblem(failureOf(exit.cause))
        else setMessages(exit.value)
      }
    })
  }, [client, sessionId, type, isRunning])
  return (
    <ScrollRegion kind="scroll" label="History">
      {problem === undefined ? null : <ProblemNote problem={problem} />}
      {sessionId === undefined ? <p class="hint">No session yet.</p> : null}
      {messages?.length === 0 ? <p class="hint">It is empty.</p> : null}
      <ol class="timeline" aria-label={`History, ${type}`}>
        {messages?.map((message, index) => (
          <li key={index}>
            <strong>{message.role}</strong>
            <pre>{jsonBlock("content" in message ? message.content : message)}</pre>
          </li>
        ))}
      </ol>
    </ScrollRegion>
  )
})
