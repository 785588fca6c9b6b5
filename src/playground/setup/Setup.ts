import type { AgentConfig, AgentInfo, Capabilities } from "../../protocol/Agent.ts"

/** What a session may do with a server tool: nothing, call it with the user's permission, or call it at will. */
export type ToolMode = "off" | "ask" | "trusted"

/** How the user has set an agent up. What is not named has its default: tools are off. */
export interface Setup {
  readonly options: Readonly<Record<string, string>>
  readonly tools: Readonly<Record<string, ToolMode>>
}

/** Everything as the agent has it. */
export const defaults: Setup = { options: {}, tools: {} }

/** The setup as a session is opened with: tools that are on, and options that differ from their defaults. */
export const toConfig = ({ name, options = [], tools = [] }: AgentInfo, setup: Setup): AgentConfig => {
  const on = tools.flatMap(({ name }) => {
    const mode = setup.tools[name] ?? "off"
    return mode === "off" ? [] : [{ name, trust: mode === "trusted" }]
  })
  const changed = options.flatMap((option) => {
    const value = setup.options[option.name]
    return value === undefined || value === option.default ? [] : [[option.name, value] as const]
  })
  return {
    name,
    ...(on.length === 0 ? {} : { tools: on }),
    ...(changed.length === 0 ? {} : { options: Object.fromEntries(changed) })
  }
}

/** What an agent can do, as `group.leaf`. */
export const capabilityNames = (capabilities: Capabilities = {}): ReadonlyArray<string> =>
  Object.entries(capabilities).flatMap(([group, leaves]) => Object.keys(leaves).map((leaf) => `${group}.${leaf}`))
