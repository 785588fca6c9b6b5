import { useRef } from "preact/hooks"
import { onOneLine } from "../../client/Printable.ts"
import { useHeir } from "../useHeir.ts"
import { ClientToolForm } from "./ClientToolForm.tsx"
import type { PageTool } from "./PageTool.ts"

interface Props {
  readonly tools: ReadonlyArray<PageTool>
  /** Names of the agent's own tools. */
  readonly taken: ReadonlyArray<string>
  /** Whether the agent takes tools of its application. */
  readonly isSupported: boolean
  readonly onChange: (tools: ReadonlyArray<PageTool>) => void
}

interface ItemProps {
  readonly tool: PageTool
  readonly onRemove: () => void
  /** Who has the focus of a tool that goes. */
  readonly heir: () => HTMLElement | null | undefined
}

const Item = ({ heir, onRemove, tool: { fixed, spec } }: ItemProps) => (
  <li>
    <code>{onOneLine(spec.name)}</code> {fixed === undefined ? "answered by you" : `always answers “${fixed}”`}
    <button type="button" ref={useHeir(heir)} aria-label={`Remove ${spec.name}`} onClick={onRemove}>
      Remove
    </button>
  </li>
)

/** The tools that this page has for the agent. */
export const ClientTools = ({ isSupported, onChange, taken, tools }: Props) => {
  const root = useRef<HTMLDivElement>(null)
  return (
    <div class="stack" ref={root}>
      <p class="hint">
        {isSupported
          ? "The agent calls them, and this page answers."
          : "This agent does not say that it takes such tools."}
      </p>
      <ul class="list">
        {tools.map((tool) => (
          <Item
            key={tool.spec.name}
            tool={tool}
            heir={() => root.current?.querySelector("input")}
            onRemove={() => onChange(tools.filter((other) => other !== tool))}
          />
        ))}
      </ul>
      <ClientToolForm
        taken={[...taken, ...tools.map(({ spec }) => spec.name)]}
        onAdd={(tool) => onChange([...tools, tool])}
      />
    </div>
  )
}
