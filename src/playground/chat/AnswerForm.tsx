import { useState } from "preact/hooks"

interface Props {
  readonly name: string
  readonly onAnswer: (content: string) => void
}

/** Asks what a tool of this page answers. */
export const AnswerForm = ({ name, onAnswer }: Props) => {
  const [content, setContent] = useState("")
  return (
    <form
      class="stack"
      aria-label={`Answer of ${name}`}
      onSubmit={(event) => {
        event.preventDefault()
        onAnswer(content)
      }}
    >
      <label>
        Your answer
        <textarea rows={2} value={content} onInput={(event) => setContent(event.currentTarget.value)} />
      </label>
      <div class="row">
        <button type="submit" class="primary">
          Answer
        </button>
      </div>
    </form>
  )
}
