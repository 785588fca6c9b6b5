import type { RefObject } from "preact"
import { useEffect, useState } from "preact/hooks"
import { useHeir } from "../useHeir.ts"

interface Props {
  readonly isRunning: boolean
  /** What was said and came to no turn: it is put back where nothing else was typed. */
  readonly returned: { readonly text: string } | undefined
  /** Why nothing can be said. */
  readonly blocked: string | undefined
  readonly field: RefObject<HTMLTextAreaElement | null>
  readonly onSay: (text: string) => void
  readonly onStop: () => void
}

/** Where the user speaks: Enter sends, Shift and Enter begin a new line. */
export const Composer = ({ blocked, field, isRunning, onSay, onStop, returned }: Props) => {
  const [text, setText] = useState("")
  const stop = useHeir(() => field.current)
  useEffect(() => {
    if (returned !== undefined) setText((typed) => (typed === "" ? returned.text : typed))
  }, [returned])
  const isClosed = isRunning || blocked !== undefined
  const send = () => {
    if (isClosed || text.trim() === "") return
    onSay(text)
    setText("")
  }
  return (
    <>
      {blocked === undefined ? null : <p class="hint">{blocked}</p>}
      <form
        class="composer"
        aria-label="Message"
        onSubmit={(event) => {
          event.preventDefault()
          send()
        }}
      >
        <label>
          <span class="unseen">Message</span>
          <textarea
            rows={2}
            ref={field}
            value={text}
            placeholder="Message"
            onInput={(event) => setText(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || event.shiftKey || event.isComposing) return
              event.preventDefault()
              send()
            }}
          />
        </label>
        {isRunning ? (
          <button type="button" ref={stop} onClick={onStop}>
            Stop
          </button>
        ) : null}
        <button type="submit" class="primary" aria-disabled={isClosed}>
          Send
        </button>
      </form>
    </>
  )
}
