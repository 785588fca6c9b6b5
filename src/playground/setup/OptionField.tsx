import { useId } from "preact/hooks"
import { onOneLine, undirected } from "../../client/Printable.ts"
import type { AgentOption } from "../../protocol/Agent.ts"
import { choices, kept } from "./Setup.ts"

interface Props {
  readonly option: AgentOption
  readonly value: string
  /** Whether the session has a value that is not shown: an empty field keeps it. */
  readonly isKept: boolean
  readonly onChange: (value: string) => void
}

const Field = ({ id, isKept, onChange, option, value }: Props & { readonly id: string }) => {
  const common = { id, value, "aria-describedby": `${id}-hint` }
  switch (option.type) {
    case "select":
      return (
        <select {...common} onChange={(event) => onChange(event.currentTarget.value)}>
          {choices(option, value).map((choice) => (
            <option key={choice} value={choice}>
              {choice === "" ? "(none)" : onOneLine(choice)}
            </option>
          ))}
        </select>
      )
    case "text":
      return <input {...common} onInput={(event) => onChange(event.currentTarget.value)} />
    case "secret":
      return (
        <input
          {...common}
          type="password"
          autocomplete="off"
          value={value === kept ? "" : value}
          placeholder={isKept ? "set; type to replace" : ""}
          onInput={(event) => {
            const typed = event.currentTarget.value
            onChange(typed === "" && isKept ? kept : typed)
          }}
        />
      )
  }
}

/** An option of an agent: a choice, a text, or a secret that is not shown. */
export const OptionField = (props: Props) => {
  const id = useId()
  const { description, name, title } = props.option
  return (
    <div>
      <label htmlFor={id}>{onOneLine(title ?? name)}</label>
      <Field {...props} id={id} />
      <p id={`${id}-hint`} class="hint">
        {undirected(description ?? "")}
      </p>
    </div>
  )
}
