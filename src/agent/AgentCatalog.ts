import { Context, Effect, Layer } from "effect"
import type { AgentInfo, Meta } from "../protocol/Agent.ts"
import type { ToolSpec } from "../protocol/Tool.ts"
import { type RegisteredTool, ToolRegistry } from "../tool/ToolRegistry.ts"
import type { Agent } from "./Agent.ts"

/** An agent with the tools that it names, looked up once. */
export interface CatalogedAgent {
  readonly agent: Agent
  /** Tools that a session may switch on, by name. */
  readonly tools: ReadonlyMap<string, ToolSpec>
  /** Tools that are always on and never shown, by name. */
  readonly hidden: ReadonlyMap<string, ToolSpec>
  readonly info: AgentInfo
}

const duplicate = (names: ReadonlyArray<string>): string | undefined =>
  names.find((name, index) => names.indexOf(name) !== index)

/** What is wrong with an agent, in a sentence; `undefined` for nothing. */
const flaw = (agent: Agent, registry: ReadonlyMap<string, RegisteredTool>): string | undefined => {
  const tool = duplicate(agent.tools)
  if (tool !== undefined) return `names the tool ${tool} twice`
  const unknown = agent.tools.find((name) => !registry.has(name))
  if (unknown !== undefined) return `names the tool ${unknown}, which the ToolRegistry does not have`
  const option = duplicate(agent.options.map((option) => option.name))
  if (option !== undefined) return `has two options named ${option}`
  const select = agent.options.find((option) => option.type === "select" && !option.options.includes(option.default))
  if (select !== undefined) return `has the option ${select.name}, whose default is none of its values`
  if (!Number.isInteger(agent.stepLimit) || agent.stepLimit < 1) return "has a step limit that is no positive integer"
  return undefined
}

const toInfo = (agent: Agent, tools: ReadonlyArray<ToolSpec>): AgentInfo => ({
  name: agent.name,
  ...(agent.title === undefined ? {} : { title: agent.title }),
  version: agent.version,
  ...(agent.description === undefined ? {} : { description: agent.description }),
  tools,
  options: agent.options.map((option) => (option.type === "secret" ? { ...option, default: "" } : option)),
  capabilities: agent.capabilities
})

const toCataloged = (agent: Agent, registry: ReadonlyMap<string, RegisteredTool>): CatalogedAgent => {
  const named = agent.tools.flatMap((name) => {
    const tool = registry.get(name)
    return tool === undefined ? [] : [tool]
  })
  const byName = (hidden: boolean) =>
    new Map(named.filter((tool) => tool.hidden === hidden).map((tool) => [tool.spec.name, tool.spec]))
  const tools = byName(false)
  return { agent, tools, hidden: byName(true), info: toInfo(agent, [...tools.values()]) }
}

/** The agents of this server, and what `/meta` says of them. */
export class AgentCatalog extends Context.Service<
  AgentCatalog,
  {
    readonly get: (name: string) => CatalogedAgent | undefined
    readonly meta: Meta
  }
>()("effect-aap/AgentCatalog") {
  /** The catalogue of these agents. An agent that cannot work is a bug: the Layer dies and says what is wrong. */
  static readonly layer = (...agents: ReadonlyArray<Agent>): Layer.Layer<AgentCatalog, never, ToolRegistry> =>
    Layer.effect(
      AgentCatalog,
      Effect.gen(function* () {
        const registry = (yield* ToolRegistry).tools
        const twice = duplicate(agents.map((agent) => agent.name))
        if (twice !== undefined) return yield* Effect.die(new Error(`two agents are named ${twice}`))
        for (const agent of agents) {
          const wrong = flaw(agent, registry)
          if (wrong !== undefined) return yield* Effect.die(new Error(`the agent ${agent.name} ${wrong}`))
        }
        const cataloged = new Map(agents.map((agent) => [agent.name, toCataloged(agent, registry)]))
        return AgentCatalog.of({
          get: (name) => cataloged.get(name),
          meta: { version: 3, agents: [...cataloged.values()].map((agent) => agent.info) }
        })
      })
    )
}
