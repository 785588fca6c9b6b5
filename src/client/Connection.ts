import { Data, Effect, Redacted, Schema, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import type { AgentConfig, Meta } from "../protocol/Agent.ts"
import * as ToolOutcome from "../history/ToolOutcome.ts"
import type { InputContent, JsonObject } from "../protocol/Content.ts"
import type { HistoryMessage } from "../protocol/Message.ts"
import { type CreateSession, type HistoryType, SessionId, type SessionInfo } from "../protocol/Session.ts"
import type { ToolCall } from "../protocol/Tool.ts"
import type { StreamMode, TurnResponse } from "../protocol/Turn.ts"
import type { TurnEvent } from "../protocol/TurnEvent.ts"
import { schemaSentence } from "../protocol/SchemaDetails.ts"
import * as AgentClient from "./AgentClient.ts"
import { InvalidRequest } from "./AgentError.ts"
import * as ClientSession from "./ClientSession.ts"
import * as ClientTool from "./ClientTool.ts"

/** Which server, and who asks. */
export interface ConnectOptions {
  /** Where its endpoints stand, such as `https://agents.example/v3`. */
  readonly baseUrl: string | URL
  readonly apiKey?: string
}

/** What ends a request early: its signal. The promise, or the iteration, then fails with the signal's reason. */
export interface Abortable {
  readonly signal?: AbortSignal
}

type Maybe<A> = A | Promise<A>

/** A tool of the application. What `run` gives is told to the model: a string as it is, anything else as JSON. */
export interface Tool {
  readonly name: string
  readonly title?: string
  readonly description: string
  /** A JSON Schema of the input, which is an object. */
  readonly parameters: JsonObject
  /** Runs a call; calls of one answer run side by side. `signal` is aborted when the turn is stopped. */
  readonly run: (input: JsonObject, call: ToolCall, signal: AbortSignal) => unknown
}

/** A decision on a call of a tool that the server runs; the model reads the reason of one that does not grant it. */
export interface Decision {
  readonly granted: boolean
  readonly reason?: string | undefined
}

/** How a session is run. */
export interface SessionOptions extends Omit<ClientSession.SessionOptions<never>, "tools" | "permit"> {
  readonly tools?: ReadonlyArray<Tool>
  /**
   * Decides on calls of tools that the server runs, and that it waits with; each is denied where there is none. Calls of one
   * answer are asked about side by side. `signal` is aborted when the turn is stopped.
   */
  readonly permit?: (call: ToolCall, signal: AbortSignal) => Maybe<boolean | Decision>
}

/**
 * A session that runs the application's tools and asks for permission by itself. One iteration of it runs at a time; nothing
 * is sent before it begins, and each iteration over what `say` gave says it once more.
 */
export interface Session {
  readonly id: SessionId
  /**
   * Says something, and runs the agent to its end. Leaving the iteration stops the turn. `agent` changes how the agent is set
   * up, for good: `tools` replaces what it may use, `options` changes those that it names.
   */
  readonly say: (
    content: InputContent,
    options?: Abortable & ClientSession.SessionChange
  ) => AsyncIterable<ClientSession.Update>
  /** Answers the calls that were left open, if any, and runs the agent to its end. */
  readonly goOn: (options?: Abortable) => AsyncIterable<ClientSession.Update>
  /** The conversation so far. */
  readonly messages: () => ReadonlyArray<HistoryMessage>
  /** Calls that wait for the application. */
  readonly openCalls: () => ReadonlyArray<ToolCall>
}

/**
 * An agent server, for programs that do not use Effect. Promises and iterations fail with an `AgentError`, those of a session
 * with a `SessionError`, and with their signal's reason where that is aborted.
 */
export interface Connection {
  readonly meta: (options?: Abortable) => Promise<Meta>
  /** All of the caller's sessions, newest first, asked for a page at a time. */
  readonly sessions: (options?: Abortable) => AsyncIterable<SessionInfo>
  readonly createSession: (request: CreateSession, options?: Abortable & AgentClient.SendOptions) => Promise<SessionId>
  readonly session: (id: string, options?: Abortable) => Promise<SessionInfo>
  readonly deleteSession: (id: string, options?: Abortable) => Promise<void>
  readonly history: (
    id: string,
    options?: Abortable & { readonly type?: HistoryType }
  ) => Promise<ReadonlyArray<HistoryMessage>>
  /** The events of one turn. Leaving the iteration stops it. */
  readonly turn: (
    id: string,
    input: AgentClient.TurnInput,
    options?: Abortable & AgentClient.SendOptions & { readonly stream?: StreamMode }
  ) => AsyncIterable<TurnEvent>
  readonly answer: (
    id: string,
    input: AgentClient.TurnInput,
    options?: Abortable & AgentClient.SendOptions
  ) => Promise<TurnResponse>
  /** Opens a session with an agent. `messages` seed its history; `signal` ends the request, not the session. */
  readonly open: (
    agent: AgentConfig,
    options?: SessionOptions & Abortable & { readonly messages?: ReadonlyArray<HistoryMessage> }
  ) => Promise<Session>
  /** Goes on with a session, from what the server has of it; `signal` ends the request, not the session. */
  readonly resume: (id: string, options?: SessionOptions & Abortable) => Promise<Session>
}

/** Fails with a signal's reason once it is aborted. */
const aborted = (signal: AbortSignal): Effect.Effect<never, unknown> =>
  Effect.callback((resume) => {
    const abort = () => resume(Effect.fail(signal.reason))
    if (signal.aborted) return abort()
    signal.addEventListener("abort", abort, { once: true })
    return Effect.sync(() => signal.removeEventListener("abort", abort))
  })

const decodeId = (id: string): Effect.Effect<SessionId, InvalidRequest> =>
  Effect.mapError(
    Schema.decodeEffect(SessionId)(id),
    (error) => new InvalidRequest({ message: `that is no session id: ${schemaSentence(error)}` })
  )

const promise = <A, E>(effect: Effect.Effect<A, E>, { signal }: Abortable = {}): Promise<A> =>
  Effect.runPromise(signal === undefined ? effect : Effect.raceFirst(aborted(signal), effect))

const iterable = <A, E>(stream: Stream.Stream<A, E>, { signal }: Abortable = {}): AsyncIterable<A> =>
  signal === undefined
    ? Stream.toAsyncIterable(stream)
    : Stream.toAsyncIterable(
        Stream.suspend(() =>
          signal.aborted ? Stream.fail(signal.reason) : Stream.interruptWhen(stream, aborted(signal))
        )
      )

/** A function of the application failed. The message is the function's own. */
class FunctionFailed extends Data.TaggedError("FunctionFailed")<{ readonly message: string }> {}

/** What a function of the application gives, whether it gives a promise or not. */
const called = <A>(run: (signal: AbortSignal) => Maybe<A>): Effect.Effect<A, FunctionFailed> =>
  Effect.tryPromise({
    try: async (signal) => run(signal),
    catch: (error) => new FunctionFailed({ message: ToolOutcome.toFailure(error) })
  })

const toTool = ({ run, ...declaration }: Tool): ClientTool.ClientTool =>
  ClientTool.fromJsonSchema({ ...declaration, handler: (input, call) => called((signal) => run(input, call, signal)) })

const Permission = Schema.Struct({ granted: Schema.Boolean, reason: Schema.optional(Schema.String) })

const denied = (failure: unknown) =>
  Effect.as(Effect.logError("permission could not be asked for", failure), {
    granted: false,
    reason: "the application could not ask for permission"
  })

const toPermit =
  (permit: NonNullable<SessionOptions["permit"]>) =>
  (call: ToolCall): Effect.Effect<ClientSession.Permission> =>
    called((signal) => permit(call, signal)).pipe(
      Effect.map((decided) => (typeof decided === "boolean" ? { granted: decided } : decided)),
      Effect.flatMap(Schema.decodeUnknownEffect(Permission)),
      Effect.map(({ granted, reason }) => (reason === undefined ? { granted } : { granted, reason })),
      Effect.catch(denied),
      Effect.catchDefect(denied)
    )

const toOptions = <O extends SessionOptions>({ permit, tools, ...options }: O) => ({
  ...options,
  ...(tools === undefined ? {} : { tools: tools.map(toTool) }),
  ...(permit === undefined ? {} : { permit: toPermit(permit) })
})

const toSession = (session: ClientSession.ClientSession): Session => ({
  id: session.id,
  say: (content, options) => iterable(session.say(content, options), options),
  goOn: (options) => iterable(session.goOn, options),
  messages: () => Effect.runSync(session.messages),
  openCalls: () => Effect.runSync(session.openCalls)
})

/**
 * Connects with an agent server over `fetch`: in Node, browsers and whatever else has it.
 *
 * @example
 * const server = connect({ baseUrl: "http://127.0.0.1:3010" })
 * const session = await server.open({ name: "assistant" })
 * for await (const { event } of session.say("Hello!")) {
 *   if (event.event === "text_delta") process.stdout.write(event.data.delta)
 * }
 */
export const connect = ({ apiKey, baseUrl }: ConnectOptions): Connection => {
  const options = { baseUrl, ...(apiKey === undefined ? {} : { apiKey: Redacted.make(apiKey) }) }
  const client = Effect.runSync(Effect.provide(AgentClient.make(options), FetchHttpClient.layer))
  const withClient = Effect.provideService(AgentClient.AgentClient, client)
  return {
    meta: (options) => promise(client.meta, options),
    sessions: (options) => iterable(client.sessions, options),
    createSession: (request, options) => promise(client.createSession(request, options), options),
    session: (id, options) => promise(Effect.flatMap(decodeId(id), client.session), options),
    deleteSession: (id, options) => promise(Effect.flatMap(decodeId(id), client.deleteSession), options),
    history: (id, options) =>
      promise(
        Effect.flatMap(decodeId(id), (id) => client.history(id, options?.type)),
        options
      ),
    turn: (id, input, options) =>
      iterable(Stream.unwrap(Effect.map(decodeId(id), (id) => client.turn(id, input, options))), options),
    answer: (id, input, options) =>
      promise(
        Effect.flatMap(decodeId(id), (id) => client.answer(id, input, options)),
        options
      ),
    open: (agent, options = {}) =>
      promise(Effect.map(withClient(ClientSession.open(agent, toOptions(options))), toSession), options),
    resume: (id, options = {}) =>
      promise(
        decodeId(id).pipe(
          Effect.flatMap((id) => ClientSession.resume(id, toOptions(options))),
          withClient,
          Effect.map(toSession)
        ),
        options
      )
  }
}
