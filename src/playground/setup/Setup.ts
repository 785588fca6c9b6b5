import type { AgentConfig, AgentInfo, AgentOption, Capabilities } from "../../protocol/Agent.ts"
import type { AgentOverrides, StreamMode } from "../../protocol/Turn.ts"

/** What a session may do with a server tool: nothing, call it with the user's permission, or call it at will. */
export type ToolMode = "off" | "ask" | "trusted"

/** How the user has set an agent up. What is not named has its default: tools are off. */
export interface Setup {
  readonly options: Readonly<Record<string, string>>
  readonly tools: Readonly<Record<string, ToolMode>>
}

/** Everything as the agent has it. */
export const defaults: Setup = { options: {}, tools: {} }

/** How the value of a secret reads that the server has: it stays as it is, and is never sent. */
export const kept = "***"

const isKept = (option: AgentOption, value: string | undefined): boolean => option.type === "secret" && value === kept

/** The setup that a session has. */
export const fromConfig = ({ options = {}, tools = [] }: AgentConfig): Setup => ({
  options,
  tools: Object.fromEntries(tools.map(({ name, trust }) => [name, trust === true ? "trusted" : "ask"]))
})

// Names are the server's: `constructor` is one, and every record has something by it.
const own = <A>(record: Readonly<Record<string, A>>, name: string): A | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined

/** What a session of this setup may do with a tool. */
export const modeOf = ({ tools }: Setup, name: string): ToolMode => own(tools, name) ?? "off"

/** The value of an option in this setup. */
export const optionValue = ({ options }: Setup, option: AgentOption): string =>
  own(options, option.name) ?? option.default

/** What a choice is made of: the option's values, and first the one that it has where that is none of them. */
export const choices = ({ options }: Extract<AgentOption, { readonly type: "select" }>, value: string) =>
  options.includes(value) ? options : [value, ...options]

const refs = ({ tools = [] }: AgentInfo, setup: Setup) =>
  tools.flatMap(({ name }) => {
    const mode = modeOf(setup, name)
    return mode === "off" ? [] : [{ name, trust: mode === "trusted" }]
  })

/**
 * What is sent so that a session has this setup, given all setups that it may have: more than one where it is not known
 * whether the server took the last change.
 *
 * 1. A value in which they all agree with the setup is not sent; one that is back at its default is, where any differs.
 * 2. All tools that are on are sent where the modes of any tool differ, since the list replaces the session's.
 * 3. A secret that the server has and that was not typed anew is not sent.
 */
export const change = (agent: AgentInfo, before: ReadonlyArray<Setup>, setup: Setup): AgentOverrides | undefined => {
  const { options = [], tools = [] } = agent
  const changed = options.flatMap((option) => {
    const value = optionValue(setup, option)
    return isKept(option, value) || before.every((other) => optionValue(other, option) === value)
      ? []
      : [[option.name, value] as const]
  })
  const areToolsSame = before.every((other) => tools.every(({ name }) => modeOf(other, name) === modeOf(setup, name)))
  if (changed.length === 0 && areToolsSame) return undefined
  return {
    ...(areToolsSame ? {} : { tools: refs(agent, setup) }),
    ...(changed.length === 0 ? {} : { options: Object.fromEntries(changed) })
  }
}

/** The setup as a session is opened with: tools that are on, and options that differ from their defaults. */
export const toConfig = (agent: AgentInfo, setup: Setup): AgentConfig => {
  const { name, options = [] } = agent
  const on = refs(agent, setup)
  const changed = options.flatMap((option) => {
    const value = optionValue(setup, option)
    return value === option.default || isKept(option, value) ? [] : [[option.name, value] as const]
  })
  return {
    name,
    ...(on.length === 0 ? {} : { tools: on }),
    ...(changed.length === 0 ? {} : { options: Object.fromEntries(changed) })
  }
}

const streamModesKnown = ["delta", "message", "none"] as const

/** The ways in which an agent can answer, the liveliest first; all of them where it does not say. */
export const streamModes = ({ stream }: Capabilities = {}): ReadonlyArray<StreamMode> => {
  const declared = streamModesKnown.filter((mode) => stream?.[mode] !== undefined)
  return declared.length === 0 ? streamModesKnown : declared
}

/** What an agent can do, as `group.leaf`. */
export const capabilityNames = (capabilities: Capabilities = {}): ReadonlyArray<string> =>
  Object.entries(capabilities).flatMap(([group, leaves]) => Object.keys(leaves).map((leaf) => `${group}.${leaf}`))
