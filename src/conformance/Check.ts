import { ByteSize, Cause, Duration, Effect, Exit, Option, type Redacted, Schema, Stream } from "effect"
import { HttpClient, HttpClientError, HttpClientRequest, HttpClientResponse, HttpIncomingMessage } from "effect/http"
import { type AgentInfo, Meta } from "../protocol/Agent.ts"
import type { StreamMode } from "../protocol/Turn.ts"
import { AgentServer } from "./AgentServer.ts"
import * as CleanUp from "./CleanUp.ts"
import * as Exchange from "./Exchange.ts"
import { ModelControl } from "./ModelControl.ts"
import * as Probe from "./Probe.ts"
import * as RootCause from "../protocol/RootCause.ts"
import type { Rule, RuleServices } from "./Rule.ts"
import { rules as allRules } from "./Rules.ts"
import { Subject, type SubjectTool } from "./Subject.ts"

/** What came of a rule. `exchanges` are what was sent and answered, in order. */
export type Outcome =
  | { readonly _tag: "Pass" }
  | { readonly _tag: "Fail"; readonly message: string; readonly exchanges: ReadonlyArray<Exchange.Exchange> }
  | { readonly _tag: "NotApplicable"; readonly reason: string }

/** A rule, and what came of it. */
export interface Result {
  readonly rule: Rule
  readonly outcome: Outcome
}

/** What is checked, and how. */
export interface CheckOptions {
  /** Where the server's endpoints stand. */
  readonly baseUrl: string
  readonly key?: Redacted.Redacted<string>
  /** The agent; the first of the server by itself. */
  readonly agent?: string
  /**
   * Where the scripted model stands, without `/v1`: the server must speak to it. Without its control rules would not know
   * what the model was asked.
   */
  readonly modelUrl: string
  /** The server's tool that may be called, and with what; by itself the first that needs no input, with none. */
  readonly tool?: SubjectTool
  /** How long an answer may take; ten seconds by itself. */
  readonly patience?: Duration.Input
  /** The rules to check; all of them by themselves. */
  readonly rules?: ReadonlyArray<Rule>
}

/** A check that cannot begin, and what would let it. */
export class CannotCheck extends Schema.TaggedError<CannotCheck>()("CannotCheck", { message: Schema.String }) {}

const modes: ReadonlyArray<StreamMode> = ["none", "message", "delta"]

/** A tool that takes no input, as far as its schema says. */
const harmless = ({ tools = [] }: AgentInfo): SubjectTool | undefined => {
  const found = tools.find(
    ({ parameters }) => !Array.isArray(parameters["required"]) || parameters["required"].length === 0
  )
  return found === undefined ? undefined : { name: found.name, input: {} }
}

/** How large the server's description of itself may be. */
const maxMeta = ByteSize.mebibytes(10)

const why = (error: unknown): string => {
  const status = HttpClientError.isHttpClientError(error) ? error.response?.status : undefined
  if (status === 401 || status === 403) return `${status}; it asks for a key, or for another one`
  return status === undefined ? RootCause.message(error) : `its status is ${status}`
}

const findAgent = Effect.fnUntraced(function* (
  { agent: wanted, baseUrl, key }: CheckOptions,
  patience: Duration.Duration
) {
  const client = yield* HttpClient.HttpClient
  const request = HttpClientRequest.get(`${baseUrl}/meta`)
  const { agents } = yield* client
    .execute(key === undefined ? request : HttpClientRequest.bearerToken(request, key))
    .pipe(
      Effect.flatMap(HttpClientResponse.filterStatusOk),
      Effect.flatMap(HttpClientResponse.schemaBodyJson(Meta)),
      Effect.timeout(patience),
      Effect.provideService(HttpIncomingMessage.MaxBodySize, maxMeta),
      Effect.mapError(
        (error) =>
          new CannotCheck({ message: `${baseUrl}/meta does not answer as an agent server does: ${why(error)}` })
      )
    )
  const agent = wanted === undefined ? agents[0] : agents.find(({ name }) => name === wanted)
  if (agent !== undefined) return agent
  const names = agents.map(({ name }) => name).join(", ")
  return yield* new CannotCheck({
    message: wanted === undefined ? "the server has no agents" : `the server has no agent ${wanted}; it has: ${names}`
  })
})

const toOutcome = (
  exit: Exit.Exit<
    void,
    | { readonly _tag: "RuleBroken"; readonly message: string }
    | { readonly _tag: "NotApplicable"; readonly reason: string }
  >,
  exchanges: ReadonlyArray<Exchange.Exchange>
): Outcome => {
  if (Exit.isSuccess(exit)) return { _tag: "Pass" }
  const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  if (error?._tag === "NotApplicable") return { _tag: "NotApplicable", reason: error.reason }
  return { _tag: "Fail", message: error?.message ?? Cause.pretty(exit.cause), exchanges }
}

const example = "http://127.0.0.1:3010"

/** An address to which paths can be added, and that says no secret wherever it is printed. */
const isPlainAddress = (url: string): boolean => {
  if (!/^https?:/.test(url) || !URL.canParse(url)) return false
  const { hash, password, search, username } = new URL(url)
  return hash + password + search + username === ""
}

const withoutSlash = (url: string): string => url.replace(/\/+$/, "")

const prepare = Effect.fnUntraced(function* (given: CheckOptions) {
  const options = { ...given, baseUrl: withoutSlash(given.baseUrl), modelUrl: withoutSlash(given.modelUrl) }
  for (const url of [options.baseUrl, options.modelUrl]) {
    if (!isPlainAddress(url)) {
      return yield* new CannotCheck({
        message: `an address is like ${example}, with no user, password, query or fragment in it; a key is given by itself`
      })
    }
  }
  const { baseUrl, key, modelUrl, rules = allRules } = options
  const patience = Duration.fromInputUnsafe(options.patience ?? "10 seconds")
  const found = yield* ModelControl.make(modelUrl, patience)
  const model = yield* Effect.mapError(
    Effect.fromOption(found),
    () => new CannotCheck({ message: `no scripted model answers at ${modelUrl}; start one with effect-aap model` })
  )
  const agent = yield* findAgent(options, patience)
  const { tool } = options
  const tools = (agent.tools ?? []).map(({ name }) => name)
  if (tool !== undefined && !tools.includes(tool.name)) {
    const has = tools.length === 0 ? "it has none" : `it has: ${tools.join(", ")}`
    return yield* new CannotCheck({ message: `the agent ${agent.name} has no tool ${tool.name}; ${has}` })
  }
  const cleanUp = yield* CleanUp.make(patience)
  const tag = globalThis.crypto.randomUUID().slice(0, 8)
  let count = 0
  const subject = Subject.of({
    agent,
    tool: tool ?? harmless(agent),
    hasKey: key !== undefined,
    modes: modes.filter((mode) => agent.capabilities?.stream?.[mode] !== undefined),
    patience,
    newTag: () => `${tag}-${++count}`
  })
  /** Runs something with a recorder of its own, and cleans up behind it. */
  const run = <A, E>(effect: Effect.Effect<A, E, RuleServices>, recorder: Exchange.Recorder) =>
    Effect.gen(function* () {
      const server = yield* AgentServer.make({ baseUrl, key: Option.fromUndefinedOr(key), patience, cleanUp }, recorder)
      yield* cleanUp.begin
      return yield* Effect.scoped(effect).pipe(
        Effect.provideService(AgentServer, server),
        Effect.provideService(ModelControl, model),
        Effect.provideService(Subject, subject)
      )
    })
  // Where even this cannot be found out, rules say why.
  const probed = yield* Effect.option(run(Probe.asksAnother, yield* Exchange.recorder))
  if (Option.contains(probed, true)) {
    return yield* new CannotCheck({
      message: `the agent ${agent.name} answers without asking the scripted model; point its server at ${modelUrl}/v1`
    })
  }
  const checkRule = Effect.fnUntraced(function* (rule: Rule) {
    const recorder = yield* Exchange.recorder
    const exit = yield* Effect.exit(run(rule.check, recorder))
    if (Exit.hasInterrupts(exit)) return yield* Effect.interrupt
    return { rule, outcome: toOutcome(exit, yield* recorder.exchanges) }
  })
  return Stream.mapEffect(Stream.fromIterable(rules), checkRule)
})

/**
 * Checks a server, rule after rule; results come as they are found.
 *
 * 1. Every rule gives a result, whatever the server does.
 * 2. A rule opens sessions of its own, and deletes them, within the patience.
 */
export const check = (options: CheckOptions): Stream.Stream<Result, CannotCheck, HttpClient.HttpClient> =>
  Stream.unwrap(prepare(options))
