import type { AgentInfo } from "../../protocol/Agent.ts"
import { capabilityNames } from "./Setup.ts"

/** An agent as its server describes it. */
export const AgentCard = ({ agent }: { readonly agent: AgentInfo }) => {
  const capabilities = capabilityNames(agent.capabilities)
  return (
    <div class="card">
      <p>
        <strong>{agent.title ?? agent.name}</strong> <code>{agent.name}</code> {agent.version}
      </p>
      {agent.description === undefined ? null : <p>{agent.description}</p>}
      <ul class="tags" aria-label="Capabilities">
        {capabilities.map((name) => (
          <li key={name}>{name}</li>
        ))}
      </ul>
    </div>
  )
}
