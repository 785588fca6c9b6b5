import { onOneLine, undirected } from "../../client/Printable.ts"
import type { AgentInfo } from "../../protocol/Agent.ts"
import { capabilityNames } from "./Setup.ts"

/** An agent as its server describes it. */
export const AgentCard = ({ agent }: { readonly agent: AgentInfo }) => {
  const capabilities = capabilityNames(agent.capabilities)
  return (
    <div class="card">
      <p>
        <strong>{onOneLine(agent.title ?? agent.name)}</strong> <code>{onOneLine(agent.name)}</code>{" "}
        {onOneLine(agent.version)}
      </p>
      {agent.description === undefined ? null : <p>{undirected(agent.description)}</p>}
      <ul class="tags" aria-label="Capabilities">
        {capabilities.map((name) => (
          <li key={name}>{name}</li>
        ))}
      </ul>
    </div>
  )
}
