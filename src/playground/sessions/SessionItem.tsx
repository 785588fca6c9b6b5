import { useState } from "preact/hooks"
import { useHeir } from "../useHeir.ts"
import type { SessionInfo } from "../../protocol/Session.ts"

interface Props {
  readonly info: SessionInfo
  readonly isCurrent: boolean
  readonly onResume: () => void
  readonly onDelete: () => void
  /** Who has the focus of what goes with the session. */
  readonly heir: () => HTMLElement | null
}

/** A session, to go on with or to delete; the second is asked twice. */
export const SessionItem = ({ heir, info, isCurrent, onDelete, onResume }: Props) => {
  const [isSure, setSure] = useState(false)
  const { agent, sessionId } = info
  const deleting = useHeir(heir)
  return (
    <li aria-current={isCurrent}>
      <code>{sessionId}</code> {agent.name}
      <div class="row">
        {isSure ? (
          <>
            <button
              type="button"
              class="danger"
              ref={deleting}
              aria-label={`Delete ${sessionId} for good`}
              onClick={onDelete}
            >
              Delete for good
            </button>
            <button type="button" onClick={() => setSure(false)}>
              Keep
            </button>
          </>
        ) : (
          <>
            <button type="button" aria-label={`Resume ${sessionId}`} onClick={onResume}>
              Resume
            </button>
            <button type="button" aria-label={`Delete ${sessionId}`} onClick={() => setSure(true)}>
              Delete
            </button>
          </>
        )}
      </div>
    </li>
  )
}
