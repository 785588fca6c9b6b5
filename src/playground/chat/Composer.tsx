import { useState } from "preact/hooks"

interface Props {
  readonly isRunning: boolean
  readonly onSay: (text: string) => void
  readonly onStop: () => void
}

/** Where the user speaks: Enter sends, Shift and Enter begin a new line. */
export const Composer = ({ isRunning, onSay, onStop }: Props) => {
  const [text, setText] = useState("")
  const send = () => {
    if (isRunning || text.trim() === "") return
    onSay(text)
    setText("")
  }
  return (
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
        <button type="button" onClick={onStop}>
          Stop
        </button>
      ) : null}
      <button type="submit" class="primary" aria-disabled={isRunning}>
        Send
      </button>
    </form>
  )
}
