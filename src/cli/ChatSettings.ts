import { Result } from "effect"
import type { SessionChange } from "../client/ClientSession.ts"
import type { AgentConfig, AgentInfo, AgentOption } from "../protocol/Agent.ts"
import type { ServerToolRef } from "../protocol/Tool.ts"
import type { AgentOverrides } from "../protocol/Turn.ts"
import * as ChatSetup from "./ChatSetup.ts"
import { cut, onOneLine } from "../client/Printable.ts"

/** How a session's agent is set up, and what of that its server is still to be told. */
export interface Settings {
  readonly agent: AgentInfo
  readonly config: AgentConfig
  readonly change: AgentOverrides
}

/** The settings of a session, nothing of which is changed. */
export const make = (agent: AgentInfo, config: AgentConfig): Settings => ({ agent, config, change: {} })

/** The change as it goes with what is said next. */
export const toTell = ({ change }: Settings): SessionChange =>
  Object.keys(change).length === 0 ? {} : { agent: change }

/** The settings, once their change was told. */
export const told = (settings: Settings): Settings => ({ ...settings, change: {} })

const withOptions = (settings: Settings, options: AgentConfig["options"] = {}): Settings => {
  if (Object.keys(options).length === 0) return settings
  const { change, config } = settings
  return {
    ...settings,
    config: { ...config, options: { ...config.options, ...options } },
    change: { ...change, options: { ...change.options, ...options } }
  }
}

/** The settings with the value of one more option. */
export const withOption = (settings: Settings, name: string, value: string): Settings =>
  withOptions(settings, { [name]: value })

const withTools = (settings: Settings, tools: ReadonlyArray<ServerToolRef>): Settings => ({
  ...settings,
  config: { ...settings.config, tools },
  change: { ...settings.change, tools }
})

/** The tools that are on, with those that are switched on now. */
const switchedOn = ({ config }: Settings, on: ReadonlyArray<ServerToolRef>): ReadonlyArray<ServerToolRef> => {
  const names = new Set(on.map(({ name }) => name))
  return [...(config.tools ?? []).filter(({ name }) => !names.has(name)), ...on]
}

/** The settings with what else is asked for. */
export const withConfig = (settings: Settings, { options, tools }: AgentConfig): Settings => {
  const changed = withOptions(settings, options)
  return tools === undefined ? changed : withTools(changed, switchedOn(changed, tools))
}

const optionLine = (option: AgentOption, value: string | undefined): string => {
  const choices = option.type === "select" ? ` (one of ${option.options.map(onOneLine).join(", ")})` : ""
  const shown =
    option.type === "secret" ? (value === undefined ? "not set" : "***") : onOneLine(value ?? option.default)
  return `option ${onOneLine(option.name)} = ${cut(shown, 200)}${choices}`
}

/** The settings for people, a line each; values of secret options are not shown. */
export const describe = ({ agent: { options = [], tools = [] }, config }: Settings): string => {
  const values = new Map(Object.entries(config.options ?? {}))
  const on = new Map(config.tools?.map(({ name, trust }) => [name, trust === true ? "trusted" : "asks"]))
  const lines = [
    ...options.map((option) => optionLine(option, values.get(option.name))),
    ...tools.map(({ name }) => `tool ${onOneLine(name)}: ${on.get(name) ?? "off"}`)
  ]
  return lines.length === 0 ? "This agent has no options, and no tools of its own." : lines.join("\n")
}

/** What a command that was typed asks for. */
export type Command =
  | { readonly asks: "quit" | "help" | "settings" }
  | { readonly asks: "secret"; readonly name: string }
  | { readonly asks: "change"; readonly settings: Settings }

/** What can be typed. */
export const help = `/help  what can be typed
/settings  the agent's options and tools, as they are set
/option NAME=VALUE  set an option, from the next message on
/secret NAME  set a secret option, which is asked for and not shown
/tool NAME  switch a tool of the server on; its calls need permission
/trust NAME  switch a tool of the server on; its calls run at once
/off NAME  switch a tool of the server off
/quit  end the chat; the session stays on the server
Ctrl-C ends a running turn, and at the prompt the chat.`

/** The command on a line; nothing where the line is a message. A failure says what could be typed. */
export const parse = (settings: Settings, line: string): Result.Result<Command, string> | undefined => {
  const [, word, rest = ""] = /^\/(\w+)(?:\s+(.*))?$/s.exec(line) ?? []
  const { agent } = settings
  const switched = (trust: boolean) =>
    Result.map(
      ChatSetup.tool(agent)(rest),
      (name): Command => ({ asks: "change", settings: withTools(settings, switchedOn(settings, [{ name, trust }])) })
    )
  switch (word) {
    case undefined:
      return undefined
    case "quit":
    case "help":
    case "settings":
      return Result.succeed({ asks: word })
    case "option":
      return Result.map(ChatSetup.option(agent, "/")(rest), ([name, value]) => ({
        asks: "change",
        settings: withOption(settings, name, value)
      }))
    case "secret":
      return Result.map(ChatSetup.secret(agent)(rest), (name) => ({ asks: "secret", name }))
    case "tool":
      return switched(false)
    case "trust":
      return switched(true)
    case "off":
      return Result.map(ChatSetup.tool(agent)(rest), (off) => ({
        asks: "change",
        settings: withTools(
          settings,
          (settings.config.tools ?? []).filter(({ name }) => name !== off)
        )
      }))
    default:
      return Result.fail(`There is no /${word}; /help tells what can be typed.`)
  }
}
