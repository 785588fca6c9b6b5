import { Result } from "effect"
import { useState } from "preact/hooks"
import * as PageTool from "./PageTool.ts"

interface Props {
  readonly taken: ReadonlyArray<string>
  readonly onAdd: (tool: PageTool.PageTool) => void
}

/** Defines a tool: its name, what it does, a JSON Schema of its input, and who answers. */
export const ClientToolForm = ({ onAdd, taken }: Props) => {
  const [draft, setDraft] = useState(PageTool.draft)
  const [problem, setProblem] = useState<string>()
  const change = (part: Partial<PageTool.Draft>) => setDraft({ ...draft, ...part })
  const add = () =>
    Result.match(PageTool.fromDraft(draft, taken), {
      onFailure: setProblem,
      onSuccess: (tool) => {
        setProblem(undefined)
        setDraft(PageTool.draft)
        onAdd(tool)
      }
    })
  return (
    <form
      class="stack"
      aria-label="New tool"
      onSubmit={(event) => {
        event.preventDefault()
        add()
      }}
    >
      <label>
        Tool name
        <input value={draft.name} spellcheck={false} onInput={(event) => change({ name: event.currentTarget.value })} />
      </label>
      <label>
        Description
        <input value={draft.description} onInput={(event) => change({ description: event.currentTarget.value })} />
      </label>
      <label>
        Parameters (JSON Schema)
        <textarea
          rows={7}
          spellcheck={false}
          value={draft.parameters}
          onInput={(event) => change({ parameters: event.currentTarget.value })}
        />
      </label>
      <label class="choice">
        <input
          type="checkbox"
          checked={draft.isFixed}
          onChange={(event) => change({ isFixed: event.currentTarget.checked })}
        />
        Answer every call alike
      </label>
      {draft.isFixed ? (
        <label>
          Fixed answer
          <textarea rows={2} value={draft.fixed} onInput={(event) => change({ fixed: event.currentTarget.value })} />
        </label>
      ) : null}
      {problem === undefined ? null : (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <button type="submit">Add tool</button>
    </form>
  )
}
