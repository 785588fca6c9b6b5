import { useEffect, useRef, useState } from "preact/hooks"
import { type Address, addressProblem, keyFor } from "./Connection.ts"
import { ProblemNote } from "./chat/ProblemNote.tsx"
import type { Problem } from "./chat/Problem.ts"

/** What is typed and not yet asked for. */
export interface Draft {
  readonly baseUrl: string
  /** Absent where the one that is known for the address will do. */
  readonly key?: string
}

interface Props {
  readonly address: Address
  readonly draft: Draft
  readonly onDraft: (draft: Draft) => void
  /** The server that the page is connected to, whatever came of the latest attempt. */
  readonly connected: string | undefined
  readonly isConnecting: boolean
  readonly problem: Problem | undefined
  readonly onConnect: (address: Address) => void
}

const status = ({ connected, isConnecting, problem }: Props) => {
  if (isConnecting) return "Connecting…"
  if (connected === undefined) return "Not connected."
  return problem === undefined ? "Connected." : `Still connected to ${connected}.`
}

/** Puts the focus where a problem can be mended, for who is at the form. */
const useMending = (problem: Problem | undefined) => {
  const form = useRef<HTMLFormElement>(null)
  const url = useRef<HTMLInputElement>(null)
  const key = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (problem === undefined) return
    const { activeElement, body } = document
    if (activeElement !== body && form.current?.contains(activeElement) !== true) return
    const { current } = problem.status === 401 ? key : url
    current?.focus()
  }, [problem])
  return { form, url, key }
}

/** Asks for the server and the key. */
export const ConnectForm = (props: Props) => {
  const { draft, onDraft } = props
  const { baseUrl } = draft
  const [isRefused, setRefused] = useState(false)
  const fields = useMending(props.problem)
  const wrong = addressProblem(baseUrl)
  const key = draft.key ?? keyFor(props.address, baseUrl)
  return (
    <form
      class="stack"
      aria-label="Connection"
      noValidate
      ref={fields.form}
      onSubmit={(event) => {
        event.preventDefault()
        setRefused(wrong !== undefined)
        if (wrong !== undefined) return fields.url.current?.focus()
        props.onConnect({ baseUrl: baseUrl.trim().replace(/\/+$/, ""), key: key.trim() })
      }}
    >
      <label>
        Base URL
        <input
          type="url"
          required
          ref={fields.url}
          value={baseUrl}
          aria-invalid={wrong !== undefined}
          aria-describedby={isRefused && wrong !== undefined ? "url-problem" : undefined}
          spellcheck={false}
          onInput={(event) => onDraft({ ...draft, baseUrl: event.currentTarget.value })}
        />
      </label>
      {isRefused && wrong !== undefined ? (
        <p id="url-problem" class="problem" role="alert">
          {wrong}
        </p>
      ) : null}
      <label>
        Key
        <input
          type="password"
          ref={fields.key}
          value={key}
          autocomplete="off"
          aria-describedby="key-hint"
          onInput={(event) => onDraft({ ...draft, key: event.currentTarget.value })}
        />
      </label>
      <p id="key-hint" class="hint">
        Only where the server asks for one. It stays in this tab.
      </p>
      <div class="row">
        <button type="submit">Connect</button>
        <span role="status">{status(props)}</span>
      </div>
      {props.problem === undefined || (isRefused && wrong !== undefined) ? null : (
        <ProblemNote problem={props.problem} />
      )}
    </form>
  )
}
