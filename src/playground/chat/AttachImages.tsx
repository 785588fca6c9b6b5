import { useEffect, useRef, useState } from "preact/hooks"
import * as Attachment from "./Attachment.ts"

interface Props {
  readonly images: ReadonlyArray<Attachment.Attachment>
  readonly onChange: (images: ReadonlyArray<Attachment.Attachment>) => void
  /** How many files are being read: the message waits for them. */
  readonly onReading: (change: 1 | -1) => void
}

const read = (file: File) =>
  new Promise<Attachment.Attachment>((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve({ name: file.name, size: file.size, url: String(reader.result) })
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })

/** The images of a message: chosen, pasted into its form or dropped on it, each to be taken away again. */
export const AttachImages = ({ images, onChange, onReading }: Props) => {
  const [problem, setProblem] = useState<string>()
  const root = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLInputElement>(null)
  // Files are read side by side: each is added to what is attached by then.
  const latest = useRef(images)
  latest.current = images
  const change = (next: ReadonlyArray<Attachment.Attachment>) => {
    latest.current = next
    onChange(next)
  }
  const addOne = async (file: File): Promise<string | undefined> => {
    const alone = Attachment.problemOf(file, [])
    if (alone !== undefined) return alone
    onReading(1)
    const attachment = await read(file)
      .catch(() => undefined)
      .finally(() => onReading(-1))
    if (attachment === undefined) return `${file.name} cannot be read.`
    const together = Attachment.problemOf(file, latest.current)
    if (together === undefined) change([...latest.current, attachment])
    return together
  }
  const add = async (files: ReadonlyArray<File>) => {
    const problems = await Promise.all(files.map(addOne))
    setProblem(problems.find((problem) => problem !== undefined))
  }

  // The form is the composer's: what is pasted or dropped anywhere in it is meant for the message.
  const adding = useRef(add)
  adding.current = add
  useEffect(() => {
    const form = root.current?.closest("form")
    const take = (event: Event, data: DataTransfer | null) => {
      const files = [...(data?.files ?? [])]
      if (files.length === 0) return
      event.preventDefault()
      void adding.current(files)
    }
    const onPaste = (event: ClipboardEvent) => take(event, event.clipboardData)
    const onDrop = (event: DragEvent) => take(event, event.dataTransfer)
    const onDragOver = (event: DragEvent) => event.preventDefault()
    form?.addEventListener("paste", onPaste)
    form?.addEventListener("drop", onDrop)
    form?.addEventListener("dragover", onDragOver)
    return () => {
      form?.removeEventListener("paste", onPaste)
      form?.removeEventListener("drop", onDrop)
      form?.removeEventListener("dragover", onDragOver)
    }
  }, [])

  return (
    <div class="attachments" ref={root}>
      <label>
        Images
        <input
          type="file"
          ref={field}
          multiple
          accept={Attachment.types.join()}
          onChange={(event) => {
            const { currentTarget } = event
            void add([...(currentTarget.files ?? [])]).then(() => {
              currentTarget.value = ""
            })
          }}
        />
      </label>
      <ul class="tags" aria-label="Attached images">
        {images.map(({ name, url }, index) => (
          <li key={index}>
            <img src={url} alt="" /> {name}
            <button
              type="button"
              aria-label={`Remove ${name}`}
              onClick={() => {
                field.current?.focus()
                change(images.filter((_, other) => other !== index))
              }}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
      {problem === undefined ? null : (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  )
}
