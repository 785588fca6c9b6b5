import { Effect, Exit } from "effect"
import { useEffect, useRef, useState } from "preact/hooks"
import type { AgentClient } from "../../client/AgentClient.ts"
import type { AgentError } from "../../client/AgentError.ts"
import type { SessionId, SessionInfo } from "../../protocol/Session.ts"
import { failureOf, type Problem } from "../chat/Problem.ts"
import { ProblemNote } from "../chat/ProblemNote.tsx"
import { useHeir } from "../useHeir.ts"
import * as Listing from "./Listing.ts"
import { type Pending, SessionItem } from "./SessionItem.tsx"

interface Props {
  readonly client: AgentClient["Service"]
  readonly current: SessionId | undefined
  readonly onResume: (info: SessionInfo) => void
  readonly onDeleted: (id: SessionId) => void
}

/** The caller's sessions, newest first, a page at a time. */
export const SessionList = ({ client, current, onDeleted, onResume }: Props) => {
  const [listing, setListing] = useState(Listing.empty)
  const [problem, setProblem] = useState<Problem>()

  const [pending, setPending] = useState<ReadonlyMap<SessionId, Pending>>(new Map())
  const mark = (id: SessionId, mark: Pending | undefined) =>
    setPending((before) => {
      const others = [...before].filter(([other]) => other !== id)
      return new Map(mark === undefined ? others : [...others, [id, mark]])
    })

  const run = <A,>(effect: Effect.Effect<A, AgentError>, use: (value: A) => void, done = () => {}) =>
    Effect.runCallback(effect, {
      onExit: (exit) => {
        done()
        if (Exit.hasInterrupts(exit)) return
        setProblem(Exit.isFailure(exit) ? failureOf(exit.cause) : undefined)
        if (Exit.isSuccess(exit)) use(exit.value)
      }
    })

  const refreshing = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLUListElement>(null)
  const older = useHeir(() => list.current?.querySelector<HTMLElement>("li:last-child button"))
  const refresh = () => run(client.sessionPage(), (page) => setListing((before) => Listing.refreshed(before, page)))
  const more = (after: string) =>
    run(client.sessionPage(after), (page) => setListing((before) => Listing.extended(before, after, page)))
  // Which session is open may have changed until the answer comes.
  const deleted = useRef(onDeleted)
  deleted.current = onDeleted
  const remove = (id: SessionId) => {
    const use = () => {
      setListing((before) => Listing.without(before, id))
      deleted.current(id)
    }
    mark(id, "deleting")
    run(client.deleteSession(id), use, () => mark(id, undefined))
  }
  const cancelResume = useRef(() => {})
  const resume = (id: SessionId) => {
    cancelResume.current()
    mark(id, "resuming")
    cancelResume.current = run(client.session(id), onResume, () => mark(id, undefined))
  }

  useEffect(refresh, [client, current])
  // Who has begun, left or opened another session meanwhile does not want this one any more.
  useEffect(() => () => cancelResume.current(), [client, current])

  const { isRead, next, sessions } = listing
  return (
    <div class="stack">
      {problem === undefined ? null : <ProblemNote problem={problem} />}
      {sessions.length === 0 && isRead ? <p class="hint">There are none.</p> : null}
      <ul class="list" aria-label="Sessions" ref={list}>
        {sessions.map((info) => (
          <SessionItem
            key={info.sessionId}
            info={info}
            pending={pending.get(info.sessionId)}
            isCurrent={info.sessionId === current}
            onResume={() => resume(info.sessionId)}
            onDelete={() => remove(info.sessionId)}
            heir={() => refreshing.current}
          />
        ))}
      </ul>
      <div class="row">
        <button type="button" ref={refreshing} onClick={refresh}>
          Refresh
        </button>
        {next === undefined ? null : (
          <button type="button" ref={older} onClick={() => more(next)}>
            Older ones
          </button>
        )}
      </div>
    </div>
  )
}
