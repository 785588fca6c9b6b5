import { useState } from "preact/hooks"
import { type Address, isBaseUrl, keyFor } from "./Connection.ts"
import { ProblemNote } from "./chat/ProblemNote.tsx"
import type { Problem } from "./chat/Problem.ts"

interface Props {
  readonly address: Address
  readonly isConnecting: boolean
  readonly isConnected: boolean
  readonly problem: Problem | undefined
  readonly onConnect: (address: Address) => void
}

const status = ({ isConnected, isConnecting }: Props) => {
  if (isConnecting) return "Connecting…"
  return isConnected ? "Connected." : "Not connected."
}

/** Asks for the server and the key. */
export const ConnectForm = (props: Props) => {
  const [baseUrl, setBaseUrl] = useState(props.address.baseUrl)
  const [typedKey, setTypedKey] = useState<string>()
  const isValid = isBaseUrl(baseUrl)
  const key = typedKey ?? keyFor(props.address, baseUrl)
  return (
    <form
      class="stack"
      aria-label="Connection"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isValid) return
        props.onConnect({ baseUrl: baseUrl.trim().replace(/\/+$/, ""), key: key.trim() })
        setTypedKey(undefined)
      }}
    >
      <label>
        Base URL
        <input
          type="url"
          required
          value={baseUrl}
          aria-invalid={!isValid}
          spellcheck={false}
          onInput={(event) => setBaseUrl(event.currentTarget.value)}
        />
      </label>
      <label>
        Key
        <input
          type="password"
          value={key}
          autocomplete="off"
          aria-describedby="key-hint"
          onInput={(event) => setTypedKey(event.currentTarget.value)}
        />
      </label>
      <p id="key-hint" class="hint">
        Only where the server asks for one. It stays in this tab.
      </p>
      <div class="row">
        <button type="submit">Connect</button>
        <span role="status">{status(props)}</span>
      </div>
      {props.problem === undefined ? null : <ProblemNote problem={props.problem} />}
    </form>
  )
}
