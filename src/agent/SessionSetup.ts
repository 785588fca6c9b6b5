import { Result } from "effect"
import type { AgentOption, OptionValues } from "../protocol/Agent.ts"
import type { ServerToolRef, ToolSpec } from "../protocol/Tool.ts"
import type { Session } from "../session/Session.ts"
import type { CatalogedAgent } from "./AgentCatalog.ts"
import { SetupRejected } from "./SetupRejected.ts"

/** What a session is set up with: server tools switched on, option values set, the application's own tools. */
export interface SessionSetup {
  readonly serverTools: ReadonlyArray<ServerToolRef>
  readonly options: OptionValues
  readonly clientTools: ReadonlyArray<ToolSpec>
}

/** What a request changes of it. Tools replace, options merge by key. */
export type SetupChange = { readonly [K in keyof SessionSetup]?: SessionSetup[K] | undefined }

/** A session before anything was set. */
export const empty: SessionSetup = { serverTools: [], options: {}, clientTools: [] }

/** The setup that a stored session has. */
export const ofSession = (session: Session): SessionSetup => ({
  serverTools: session.agent.tools ?? [],
  options: session.agent.options ?? {},
  clientTools: session.tools
})

/** The session with another setup. */
export const apply = (session: Session, setup: SessionSetup): Session => ({
  ...session,
  agent: { name: session.agent.name, tools: setup.serverTools, options: setup.options },
  tools: setup.clientTools
})

/** How the value of a secret option reads wherever it is shown, and what an application sends back for "unchanged". */
export const redacted = "***"

const quoted = (names: Iterable<string>): string => {
  const list = [...names]
  return list.length === 0 ? "none" : list.join(", ")
}

const mergeOptions = (
  options: ReadonlyArray<AgentOption>,
  current: OptionValues,
  change: OptionValues
): Result.Result<OptionValues, SetupRejected> => {
  const merged = new Map(Object.entries(current))
  for (const [name, value] of Object.entries(change)) {
    const path = `agent.options.${name}`
    const option = options.find((option) => option.name === name)
    if (option === undefined) {
      const message = `the agent has no option ${name}; it has: ${quoted(options.map((option) => option.name))}`
      return Result.fail(new SetupRejected({ code: "unknown_option", path, message }))
    }
    if (option.type === "select" && !option.options.includes(value)) {
      const message = `${name} takes one of: ${quoted(option.options)}`
      return Result.fail(new SetupRejected({ code: "invalid_option_value", path, message }))
    }
    if (option.type !== "secret" || value !== redacted) merged.set(name, value)
  }
  return Result.succeed(Object.fromEntries(merged))
}

const checkServerTools = (
  agent: CatalogedAgent,
  refs: ReadonlyArray<ServerToolRef>
): Result.Result<void, SetupRejected> => {
  const seen = new Set<string>()
  for (const [index, { name }] of refs.entries()) {
    const path = `agent.tools[${index}].name`
    if (!agent.tools.has(name)) {
      const message = `the agent has no tool ${name}; it has: ${quoted(agent.tools.keys())}`
      return Result.fail(new SetupRejected({ code: "unknown_tool", path, message }))
    }
    if (seen.has(name)) {
      const message = `the tool ${name} is named twice; name it once, with the trust that it shall have`
      return Result.fail(new SetupRejected({ code: "tool_name_clash", path, message }))
    }
    seen.add(name)
  }
  return Result.void
}

const checkClientTools = (agent: CatalogedAgent, setup: SessionSetup): Result.Result<void, SetupRejected> => {
  if (setup.clientTools.length > 0 && agent.agent.capabilities.application?.tools === undefined) {
    const message = "this agent takes no tools of the application; leave tools out"
    return Result.fail(new SetupRejected({ code: "unsupported_client_tools", path: "tools", message }))
  }
  const taken = new Set([...setup.serverTools.map((ref) => ref.name), ...agent.hidden.keys()])
  for (const [index, { name }] of setup.clientTools.entries()) {
    if (taken.has(name)) {
      const message = `another tool is named ${name}; names are unique across the application's and the agent's tools`
      return Result.fail(new SetupRejected({ code: "tool_name_clash", path: `tools[${index}].name`, message }))
    }
    taken.add(name)
  }
  return Result.void
}

/**
 * The setup that a change leads to, checked against the agent.
 *
 * 1. Only options that the agent has, with values that they take; `***` for a secret leaves it as it is.
 * 2. Only tools that the agent shows, each at most once.
 * 3. Names are unique across the application's tools, the server tools that are on, and the hidden ones.
 */
export const change = (
  agent: CatalogedAgent,
  current: SessionSetup,
  change: SetupChange
): Result.Result<SessionSetup, SetupRejected> =>
  Result.gen(function* () {
    const options = yield* mergeOptions(agent.agent.options, current.options, change.options ?? {})
    const serverTools = change.serverTools ?? current.serverTools
    const setup: SessionSetup = { serverTools, options, clientTools: change.clientTools ?? current.clientTools }
    if (change.serverTools !== undefined) yield* checkServerTools(agent, serverTools)
    yield* checkClientTools(agent, setup)
    return setup
  })

/** The option values of a session as they may be shown: secrets, and options that the agent no longer has, redacted. */
export const redact = (options: ReadonlyArray<AgentOption>, values: OptionValues): OptionValues =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const option = options.find((option) => option.name === name)
      return [name, option === undefined || option.type === "secret" ? redacted : value]
    })
  )
