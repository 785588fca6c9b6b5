import { NodeStream } from "@effect/platform-node"
import { Effect, Option, Redacted, Result, Stdio, Stream } from "effect"
import { Prompt } from "effect/cli"
import { AgentClient } from "../client/AgentClient.ts"
import * as ClientSession from "../client/ClientSession.ts"
import * as ClientTool from "../client/ClientTool.ts"
import type { AgentInfo } from "../protocol/Agent.ts"
import type { SessionId } from "../protocol/Session.ts"
import type { StreamMode } from "../protocol/Turn.ts"
import { CommandFailed, fromSessionError, givenUp } from "./CommandFailed.ts"
import { ChatScreen, hidden } from "./ChatScreen.ts"
import * as ChatSettings from "./ChatSettings.ts"
import * as ChatSetup from "./ChatSetup.ts"
import * as LocalTools from "./LocalTools.ts"
import { onOneLine } from "../client/Printable.ts"

/** Which session is asked for: an earlier one, or a new one that is set up like this. */
export interface AskedSession extends ChatSetup.AskedSetup {
  readonly session: Option.Option<SessionId>
  readonly agent: Option.Option<string>
  readonly stream: StreamMode
}

/** A session that is chatted with, and how its agent is set up. */
export interface OpenSession {
  readonly settings: ChatSettings.Settings
  readonly session: ClientSession.ClientSession<LocalTools.LocalServices>
}

const fail = (message: string) => Effect.fail(new CommandFailed({ message }))

const checked = <A>(result: Result.Result<A, string>): Effect.Effect<A, CommandFailed> =>
  Effect.fromResult(Result.mapError(result, (message) => new CommandFailed({ message })))

const choose = Effect.fnUntraced(function* (agents: ReadonlyArray<AgentInfo>, name: string | undefined) {
  const screen = yield* ChatScreen
  if (name !== undefined || agents.length < 2 || !screen.canAsk) return yield* checked(ChatSetup.agentOf(agents, name))
  const choices = agents.map((agent) => ({
    title: onOneLine(agent.title ?? agent.name),
    value: agent,
    ...(agent.description === undefined ? {} : { description: onOneLine(agent.description) })
  }))
  const question = Prompt.Select({ message: "Which agent?", choices })
  return yield* Effect.catchTag(screen.ask(question), "QuitError", () => Effect.fail(givenUp()))
})

/** The standard input, closed once it was read: a process with it open would not end. */
const input = NodeStream.fromReadable<Uint8Array, CommandFailed>({
  evaluate: () => process.stdin,
  onError: () => new CommandFailed({ message: "the standard input cannot be read" }),
  closeOnDone: true
})

/** The values of secret options: typed where somebody is there, else a line of the standard input each. */
const secretValues = Effect.fnUntraced(function* (names: ReadonlyArray<string>) {
  if (names.length === 0) return {}
  const screen = yield* ChatScreen
  if (screen.canAsk) {
    const asked = Effect.forEach(names, (name) =>
      Effect.map(hidden(onOneLine(name)), (value) => [name, Redacted.value(value)] as const)
    )
    return Object.fromEntries(yield* Effect.catchTag(screen.ask(asked), "QuitError", () => Effect.fail(givenUp())))
  }
  if (yield* (yield* Stdio.Stdio).stdinIsTerminal) {
    return yield* fail(
      `the values of ${names.join(", ")} would be seen as they are typed; let the standard error be a terminal too`
    )
  }
  const lines = yield* input.pipe(Stream.decodeText, Stream.splitLines, Stream.take(names.length), Stream.runCollect)
  if (lines.length < names.length) {
    return yield* fail(
      `the values of ${names.join(", ")} are read from the standard input, a line each, and there are too few`
    )
  }
  return Object.fromEntries(names.map((name, index) => [name, lines[index] ?? ""]))
})

/** The configuration that is asked for, with its secrets. */
const configOf = Effect.fnUntraced(function* (agent: AgentInfo, asked: AskedSession) {
  const config = yield* checked(ChatSetup.config(agent, asked))
  const options = { ...config.options, ...(yield* secretValues(asked.secrets)) }
  return { ...config, ...(Object.keys(options).length === 0 ? {} : { options }) }
})

const begin = Effect.fnUntraced(function* (asked: AskedSession, permit: ClientSession.Permit) {
  const { meta } = yield* AgentClient
  const { agents } = yield* Effect.mapError(meta, fromSessionError)
  const agent = yield* choose(agents, Option.getOrUndefined(asked.agent))
  const config = yield* configOf(agent, asked)
  const session = yield* Effect.mapError(
    ClientSession.open<LocalTools.LocalServices>(config, {
      permit,
      stream: asked.stream,
      ...(asked.local ? { tools: LocalTools.make(permit) } : {})
    }),
    fromSessionError
  )
  return { settings: ChatSettings.make(agent, config), session } satisfies OpenSession
})

/** Tools that the session has from another application stay declared; calls of them are answered with why they cannot run. */
const resume = Effect.fnUntraced(function* (id: SessionId, asked: AskedSession, permit: ClientSession.Permit) {
  if (Option.isSome(asked.agent)) return yield* fail("a session keeps its agent; leave --agent out with --session")
  const client = yield* AgentClient
  const info = yield* Effect.mapError(client.session(id), fromSessionError)
  const { agents } = yield* Effect.mapError(client.meta, fromSessionError)
  const agent = agents.find(({ name }) => name === info.agent.name) ?? { name: info.agent.name, version: "" }
  const settings = ChatSettings.withConfig(ChatSettings.make(agent, info.agent), yield* configOf(agent, asked))
  const own = asked.local ? LocalTools.make(permit) : []
  const names = new Set(own.map(({ spec }) => spec.name))
  const others = (info.tools ?? []).filter(({ name }) => !names.has(name)).map(ClientTool.absent)
  const tools = [...own, ...others]
  const session = yield* Effect.mapError(
    ClientSession.resume<LocalTools.LocalServices>(id, {
      permit,
      stream: asked.stream,
      ...(tools.length === 0 ? {} : { tools })
    }),
    fromSessionError
  )
  return { settings, session } satisfies OpenSession
})

/** Opens the session that is asked for. */
export const open = (asked: AskedSession, permit: ClientSession.Permit) =>
  Option.match(asked.session, {
    onNone: () => begin(asked, permit),
    onSome: (id) => resume(id, asked, permit)
  })
