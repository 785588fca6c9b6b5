import { useId } from "preact/hooks"
import { onOneLine, undirected } from "../../client/Printable.ts"
import type { ToolSpec } from "../../protocol/Tool.ts"
import type { ToolMode } from "./Setup.ts"

const modes = [
  ["off", "Off"],
  ["ask", "Ask me"],
  ["trusted", "Trusted"]
] as const

interface Props {
  readonly tool: ToolSpec
  readonly mode: ToolMode
  readonly onChange: (mode: ToolMode) => void
}

/** What the agent may do with one of its server's tools. */
export const ToolModeField = ({ mode, onChange, tool }: Props) => {
  const group = useId()
  return (
    <fieldset>
      <legend>
        {onOneLine(tool.title ?? tool.name)} <code>{onOneLine(tool.name)}</code>
      </legend>
      <p class="hint">{undirected(tool.description)}</p>
      <div class="row">
        {modes.map(([value, title]) => (
          <label class="choice" key={value}>
            <input type="radio" name={group} checked={mode === value} onChange={() => onChange(value)} />
            {title}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
