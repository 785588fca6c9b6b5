import { onOneLine } from "../../client/Printable.ts"
import type { AgentInfo } from "../../protocol/Agent.ts"
import { AgentCard } from "./AgentCard.tsx"
import { OptionField } from "./OptionField.tsx"
import * as Setup from "./Setup.ts"
import { ToolModeField } from "./ToolModeField.tsx"

interface Props {
  readonly agents: ReadonlyArray<AgentInfo>
  /** None where the server has no agents, or no longer the one of the session. */
  readonly agent: AgentInfo | undefined
  /** Why there is none. */
  readonly missing: string
  readonly setup: Setup.Setup
  /** Whether a session is under way, which keeps its agent. */
  readonly isTaken: boolean
  /** Names of secrets that the session has, and the page does not know. */
  readonly kept: ReadonlyArray<string>
  readonly onAgent: (name: string) => void
  readonly onSetup: (setup: Setup.Setup) => void
}

/** Chooses an agent, its options, and what it may do with its tools. */
export const AgentSetup = ({ agent, agents, isTaken, kept, missing, onAgent, onSetup, setup }: Props) => {
  if (agent === undefined) return <p>{missing}</p>
  const { options = [], tools = [] } = agent
  return (
    <div class="stack">
      {isTaken ? (
        <p class="hint">
          A session is under way and keeps its agent; what is changed here holds from the next message on.
        </p>
      ) : null}
      <label>
        Agent
        <select value={agent.name} disabled={isTaken} onChange={(event) => onAgent(event.currentTarget.value)}>
          {agents.map(({ name, title }) => (
            <option key={name} value={name}>
              {onOneLine(title ?? name)}
            </option>
          ))}
        </select>
      </label>
      <AgentCard agent={agent} />
      {options.map((option) => (
        <OptionField
          key={option.name}
          option={option}
          value={Setup.optionValue(setup, option)}
          isKept={option.type === "secret" && kept.includes(option.name)}
          onChange={(value) => onSetup({ ...setup, options: { ...setup.options, [option.name]: value } })}
        />
      ))}
      {tools.map((tool) => (
        <ToolModeField
          key={tool.name}
          tool={tool}
          mode={Setup.modeOf(setup, tool.name)}
          onChange={(mode) => onSetup({ ...setup, tools: { ...setup.tools, [tool.name]: mode } })}
        />
      ))}
    </div>
  )
}
