import type { RefObject } from "preact"
import { useEffect, useState } from "preact/hooks"
import { useHeir } from "../useHeir.ts"
import { AttachImages } from "./AttachImages.tsx"
import type { Attachment } from "./Attachment.ts"
import type { Said } from "./Chat.ts"

interface Props {
  readonly isRunning: boolean
  /** What was said and came to no turn: it is put back where nothing else was typed. */
  readonly returned: Said | undefined
  /** Whether the agent takes images. */
  readonly takesImages: boolean
  /** Why nothing can be said. */
  readonly blocked: string | undefined
  readonly field: RefObject<HTMLTextAreaElement | null>
  readonly onSay: (text: string, images: ReadonlyArray<Attachment>) => void
  readonly onStop: () => void
}

/** Where the user speaks: Enter sends, Shift and Enter begin a new line. */
export const Composer = ({ blocked, field, isRunning, onSay, onStop, returned, takesImages }: Props) => {
  const [text, setText] = useState("")
  const [images, setImages] = useState<ReadonlyArray<Attachment>>([])
  const stop = useHeir(() => field.current)
  useEffect(() => {
    if (returned === undefined || text !== "" || images.length > 0) return
    setText(returned.text)
    setImages(returned.images)
  }, [returned])
  const attached = takesImages ? images : []
  // What was wrong with images goes with the message.
  const [sent, setSent] = useState(0)
  const [reading, setReading] = useState(0)
  const isClosed = isRunning || blocked !== undefined || reading > 0
  const send = () => {
    if (isClosed || (text.trim() === "" && attached.length === 0)) return
    onSay(text, attached)
    setImages(images.filter((image) => !attached.includes(image)))
    setText("")
    setSent(sent + 1)
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
        {takesImages ? (
          <AttachImages
            key={sent}
            images={attached}
            onChange={setImages}
            onReading={(change) => setReading((count) => count + change)}
          />
        ) : null}
      </form>
    </>
  )
}
