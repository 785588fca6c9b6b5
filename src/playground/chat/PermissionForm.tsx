import { useState } from "preact/hooks"
import type { Permission } from "../../client/ClientSession.ts"

interface Props {
  readonly name: string
  readonly onDecide: (permission: Permission) => void
}

/** Asks whether the server may run a call; why not is told to the model. */
export const PermissionForm = ({ name, onDecide }: Props) => {
  const [reason, setReason] = useState("")
  const deny = () => onDecide({ granted: false, ...(reason.trim() === "" ? {} : { reason: reason.trim() }) })
  return (
    <form
      class="stack"
      aria-label={`Permission for ${name}`}
      onSubmit={(event) => {
        event.preventDefault()
        deny()
      }}
    >
      <label>
        Reason, if you deny it
        <input value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
      </label>
      <div class="row">
        <button type="button" class="primary" onClick={() => onDecide({ granted: true })}>
          Approve
        </button>
        <button type="submit">Deny</button>
      </div>
    </form>
  )
}
