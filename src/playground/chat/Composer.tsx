import { useState } from "preact/hooks"
import { AttachImages } from "./AttachImages.tsx"
import type { Attachment } from "./Attachment.ts"

interface Props {
  readonly isRunning: boolean
  /** Whether the agent takes images. */
  readonly takesImages: boolean
  readonly onSay: (text: string, images: ReadonlyArray<Attachment>) => void
  readonly onStop: () => void
}

/** Where the user speaks: Enter sends, Shift and Enter begin a new line. */
export const Composer = ({ isRunning, onSay, onStop, takesImages }: Props) => {
  const [text, setText] = useState("")
  const [images, setImages] = useState<ReadonlyArray<Attachment>>([])
  const attached = takesImages ? images : []
  const send = () => {
    if (isRunning || (text.trim() === "" && attached.length === 0)) return
    onSay(text, attached)
    setImages([])
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
      {takesImages ? <AttachImages images={attached} onChange={setImages} /> : null}
    </form>
  )
}
