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

/** The tools that this page has for the agent. */
export const ClientTools = ({ isSupported, onChange, taken, tools }: Props) => (
  <div class="stack">
    <p class="hint">
      {isSupported
        ? "The agent calls them, and this page answers."
        : "This agent does not say that it takes such tools."}
    </p>
    <ul class="list">
      {tools.map(({ fixed, spec }) => (
        <li key={spec.name}>
          <code>{spec.name}</code> {fixed === undefined ? "answered by you" : `always answers “${fixed}”`}
          <button
            type="button"
            aria-label={`Remove ${spec.name}`}
            onClick={() => onChange(tools.filter((other) => other.spec.name !== spec.name))}
          >
            Remove
          </button>
        </li>
      ))}
    </ul>
    <ClientToolForm
      taken={[...taken, ...tools.map(({ spec }) => spec.name)]}
      onAdd={(tool) => onChange([...tools, tool])}
    />
  </div>
)
