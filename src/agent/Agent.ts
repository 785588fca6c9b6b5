import type { AgentOption, Capabilities, OptionValues } from "../protocol/Agent.ts"

/** What happens to a turn whose client has gone: it is interrupted, or goes on to its end and is stored. */
export type OnDisconnect = "interrupt" | "continue"

/**
 * An agent is a value. `instructions` and `model` may be functions of the session's option values, defaults filled in.
 * `tools` are names in the tool registry: visible ones are shown in `/meta` and off until a session names them,
 * hidden ones are always on.
 */
export interface Agent {
  readonly name: string
  readonly version: string
  readonly title?: string
  readonly description?: string
  readonly instructions: string | ((options: OptionValues) => string)
  readonly model: string | ((options: OptionValues) => string)
  readonly tools: ReadonlyArray<string>
  readonly options: ReadonlyArray<AgentOption>
  readonly capabilities: Capabilities
  /** The most model steps that one turn may take; the turn then ends with `error`. */
  readonly stepLimit: number
  readonly onDisconnect: OnDisconnect
  /** The most tokens that one model step may answer with; the provider's own limit where absent. */
  readonly maxTokens?: number
}

/** All stream modes, application tools and full history; no images, compacted history not shown. */
export const defaultCapabilities: Capabilities = {
  history: { full: {} },
  stream: { delta: {}, message: {}, none: {} },
  application: { tools: {} }
}

/** An agent with everything but its name and instructions defaulted. */
export const make = (agent: Pick<Agent, "name" | "instructions"> & Partial<Agent>): Agent => ({
  version: "1.0.0",
  model: "",
  tools: [],
  options: [],
  capabilities: defaultCapabilities,
  stepLimit: 25,
  onDisconnect: "interrupt",
  ...agent
})

/** The values of an agent's options in a session: what the session set, else the defaults. */
export const optionValues = (agent: Agent, set: OptionValues | undefined): OptionValues =>
  Object.fromEntries(
    agent.options.map((option) => [
      option.name,
      set !== undefined && Object.hasOwn(set, option.name) ? (set[option.name] ?? option.default) : option.default
    ])
  )

/** The agent's instructions under these option values. */
export const instructions = (agent: Agent, values: OptionValues): string =>
  typeof agent.instructions === "string" ? agent.instructions : agent.instructions(values)

/** The provider's model name under these option values. */
export const model = (agent: Agent, values: OptionValues): string =>
  typeof agent.model === "string" ? agent.model : agent.model(values)

/** The values of its secret options, without blank ones. */
export const secrets = (agent: Agent, values: OptionValues): ReadonlyArray<string> =>
  agent.options.flatMap(({ name, type }) => (type === "secret" && values[name] ? [values[name]] : []))
