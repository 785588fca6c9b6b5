import type { CatalogedAgent } from "../agent/AgentCatalog.ts"
import type { SessionSetup } from "../agent/SessionSetup.ts"
import type { Answerer } from "../history/PendingCall.ts"
import type { ToolSpec } from "../protocol/Tool.ts"

/** The tools that a model may call in one step, and who answers a call of each. */
export interface Toolbox {
  readonly specs: ReadonlyArray<ToolSpec>
  readonly answerers: ReadonlyMap<string, Answerer>
}

/**
 * The tools of a session: the application's own, the server's that are switched on (run at once if trusted, else after
 * permission) and the agent's hidden ones (always run at once).
 */
export const make = (agent: CatalogedAgent, setup: SessionSetup): Toolbox => {
  const on = setup.serverTools.flatMap((ref) => {
    const spec = agent.tools.get(ref.name)
    const answerer: Answerer = ref.trust === true ? "running" : "permission"
    return spec === undefined ? [] : [{ spec, answerer }]
  })
  const tools = [
    ...setup.clientTools.map((spec) => ({ spec, answerer: "client" as const })),
    ...on,
    ...[...agent.hidden.values()].map((spec) => ({ spec, answerer: "running" as const }))
  ]
  return {
    specs: tools.map((tool) => tool.spec),
    answerers: new Map(tools.map((tool) => [tool.spec.name, tool.answerer]))
  }
}
