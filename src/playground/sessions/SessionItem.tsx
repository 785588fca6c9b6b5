import { onOneLine } from "../../client/Printable.ts"
import { useState } from "preact/hooks"
import { useHeir } from "../useHeir.ts"
import type { SessionInfo } from "../../protocol/Session.ts"

/** What is being done with a session. */
export type Pending = "resuming" | "deleting"

interface Props {
  readonly info: SessionInfo
  readonly isCurrent: boolean
  /** Until it is done, nothing else can be. */
  readonly pending: Pending | undefined
  readonly onResume: () => void
  readonly onDelete: () => void
  /** Who has the focus of what goes with the session. */
  readonly heir: () => HTMLElement | null
}

const words = { resuming: "is being read…", deleting: "is being deleted…" } as const

/** A session, to go on with or to delete; the second is asked twice. */
export const SessionItem = ({ heir, info, isCurrent, onDelete, onResume, pending }: Props) => {
  const [isSure, setSure] = useState(false)
  const { agent } = info
  const sessionId = onOneLine(info.sessionId)
  const deleting = useHeir(heir)
  const action = (act: () => void) => ({
    "aria-disabled": pending !== undefined,
    onClick: () => {
      if (pending === undefined) act()
    }
  })
  return (
    <li aria-current={isCurrent}>
      <code>{sessionId}</code> {onOneLine(agent.name)}{" "}
      <span class="status" role="status">
        {pending === undefined ? null : words[pending]}
      </span>
      <div class="row">
        {isSure ? (
          <>
            <button
              type="button"
              class="danger"
              ref={deleting}
              aria-label={`Delete ${sessionId} for good`}
              {...action(onDelete)}
            >
              Delete for good
            </button>
            <button type="button" {...action(() => setSure(false))}>
              Keep
            </button>
          </>
        ) : (
          <>
            <button type="button" aria-label={`Resume ${sessionId}`} {...action(onResume)}>
              Resume
            </button>
            <button type="button" aria-label={`Delete ${sessionId}`} {...action(() => setSure(true))}>
              Delete
            </button>
          </>
        )}
      </div>
    </li>
  )
}
