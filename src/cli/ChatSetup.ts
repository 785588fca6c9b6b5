import { Result } from "effect"
import type { AgentConfig, AgentInfo } from "../protocol/Agent.ts"
import { onOneLine } from "../client/Printable.ts"

/** How a session's agent is to be set up, as the command line says it. */
export interface AskedSetup {
  /** Each `NAME=VALUE`. */
  readonly options: ReadonlyArray<string>
  readonly secrets: ReadonlyArray<string>
  readonly tools: ReadonlyArray<string>
  readonly trusted: ReadonlyArray<string>
  readonly local: boolean
}

const list = (names: ReadonlyArray<string>): string => (names.length === 0 ? "none" : onOneLine(names.join(", ")))

/** The agent of a name; the only one where no name is given. A failure says which there are. */
export const agentOf = (
  agents: ReadonlyArray<AgentInfo>,
  name: string | undefined
): Result.Result<AgentInfo, string> => {
  const names = list(agents.map(({ name }) => name))
  if (name === undefined) {
    const [only] = agents
    return only !== undefined && agents.length === 1
      ? Result.succeed(only)
      : Result.fail(`give --agent with one of: ${names}`)
  }
  const found = agents.find((agent) => agent.name === name)
  return found === undefined
    ? Result.fail(`there is no agent ${onOneLine(name)}; give --agent with one of: ${names}`)
    : Result.succeed(found)
}

/** What stands before the name of a setting: it is given as a flag, or typed as a command. */
export type Prefix = "--" | "/"

/** The option and its value in `NAME=VALUE`. */
export const option =
  ({ name: agent, options = [] }: AgentInfo, prefix: Prefix = "--") =>
  (text: string): Result.Result<readonly [string, string], string> => {
    const at = text.indexOf("=")
    if (at < 1) return Result.fail(`${prefix}option is NAME=VALUE, such as ${prefix}option model=gpt-5`)
    const [name, value] = [text.slice(0, at), text.slice(at + 1)]
    const known = options.find((option) => option.name === name)
    if (known === undefined) {
      return Result.fail(
        `${onOneLine(agent)} has no option ${onOneLine(name)}; it has: ${list(options.map(({ name }) => name))}`
      )
    }
    if (known.type === "secret") {
      return Result.fail(
        `the option ${name} is secret; give ${prefix}secret ${name}, and its value where it is not seen`
      )
    }
    return known.type === "select" && !known.options.includes(value)
      ? Result.fail(`the option ${name} is one of: ${list(known.options)}`)
      : Result.succeed([name, value])
  }

/** The name, where it is one of a secret option. */
export const secret =
  ({ name: agent, options = [] }: AgentInfo) =>
  (name: string): Result.Result<string, string> => {
    const names = options.flatMap((option) => (option.type === "secret" ? [option.name] : []))
    return names.includes(name)
      ? Result.succeed(name)
      : Result.fail(`${onOneLine(agent)} has no secret option ${onOneLine(name)}; it has: ${list(names)}`)
  }

/** The name, where it is one of a tool of the server. */
export const tool =
  ({ name: agent, tools = [] }: AgentInfo) =>
  (name: string): Result.Result<string, string> =>
    tools.some((tool) => tool.name === name)
      ? Result.succeed(name)
      : Result.fail(
          `${onOneLine(agent)} has no tool ${onOneLine(name)}; it has: ${list(tools.map(({ name }) => name))}`
        )

/**
 * The configuration that is asked for, without its secrets. A failure names what the agent has instead. A tool that is both
 * switched on and trusted is trusted.
 */
export const config = (agent: AgentInfo, asked: AskedSetup): Result.Result<AgentConfig, string> =>
  Result.gen(function* () {
    const options = yield* Result.all(asked.options.map(option(agent)))
    yield* Result.all(asked.secrets.map(secret(agent)))
    const trusted = new Set(yield* Result.all(asked.trusted.map(tool(agent))))
    const tools = new Set([...(yield* Result.all(asked.tools.map(tool(agent)))), ...trusted])
    if (asked.local && agent.capabilities?.application?.tools === undefined) {
      return yield* Result.fail(`${agent.name} takes no tools of an application; leave out --local`)
    }
    return {
      name: agent.name,
      ...(options.length === 0 ? {} : { options: Object.fromEntries(options) }),
      ...(tools.size === 0 ? {} : { tools: [...tools].map((name) => ({ name, trust: trusted.has(name) })) })
    }
  })
