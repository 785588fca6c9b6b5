import { Context, Effect, Layer, Option, Redacted, Schema, Stream } from "effect"
import { FetchHttpClient, HttpClient, HttpClientError, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import * as Replay from "../history/Replay.ts"
import { Meta } from "../protocol/Agent.ts"
import { Api } from "../protocol/Api.ts"
import type { HistoryMessage } from "../protocol/Message.ts"
import {
  type CreateSession,
  History,
  SessionCreated,
  type SessionId,
  SessionInfo,
  SessionPage,
  type HistoryType
} from "../protocol/Session.ts"
import { type StreamMode, type TurnRequest, TurnResponse } from "../protocol/Turn.ts"
import { schemaSentence } from "../protocol/SchemaDetails.ts"
import type { TurnEvent } from "../protocol/TurnEvent.ts"
import { type AgentError, InvalidAnswer, InvalidRequest } from "./AgentError.ts"
import * as Answer from "./Answer.ts"
import * as Retry from "./Retry.ts"
import * as TurnStream from "./TurnStream.ts"

/** Which server, and who asks. */
export interface AgentClientOptions {
  /** Where its endpoints stand, such as `https://agents.example/v3`. */
  readonly baseUrl: string | URL
  readonly apiKey?: Redacted.Redacted<string>
}

/** How a POST is sent. */
export interface SendOptions {
  /**
   * The same for a request that is sent again, and for no other: a server that knows the header does what was asked once.
   * With it a POST is also tried again where the connection failed.
   */
  readonly idempotencyKey?: string
}

/** A turn as an application asks for it; how it is streamed is said apart. */
export type TurnInput = Omit<TurnRequest, "stream">

/**
 * The seven endpoints of an agent server, typed. What a server refuses in passing (429, 503, a turn that still runs) is asked again,
 * three times in all, as are GET and DELETE where the connection failed. Interrupting a fiber closes its request.
 */
export class AgentClient extends Context.Service<
  AgentClient,
  {
    /** What the server offers: its agents, with their tools, options and capabilities. */
    readonly meta: Effect.Effect<Meta, AgentError>
    /** A page of the caller's sessions, newest first; `after` is the `next` of the page before. */
    readonly sessionPage: (after?: string) => Effect.Effect<SessionPage, AgentError>
    /** All of the caller's sessions, newest first, asked for a page at a time. */
    readonly sessions: Stream.Stream<SessionInfo, AgentError>
    /** Opens a session with an agent; the agent does not run yet. */
    readonly createSession: (request: CreateSession, options?: SendOptions) => Effect.Effect<SessionId, AgentError>
    /** How a session is set up; secret values read `***`. */
    readonly session: (id: SessionId) => Effect.Effect<SessionInfo, AgentError>
    /** Deletes a session with its history, for good. */
    readonly deleteSession: (id: SessionId) => Effect.Effect<void, AgentError>
    /** All that was said (`full`), or what the model is fed (`compacted`). */
    readonly history: (id: SessionId, type?: HistoryType) => Effect.Effect<ReadonlyArray<HistoryMessage>, AgentError>
    /**
     * Takes a turn and gives its events as they come, `turn_start` first and `turn_stop` last, in whichever mode: `delta`
     * where nothing is said. A server that answers with one JSON body all the same is understood.
     */
    readonly turn: (
      id: SessionId,
      input: TurnInput,
      options?: SendOptions & { readonly stream?: StreamMode }
    ) => Stream.Stream<TurnEvent, AgentError>
    /** Takes a turn in mode `none`, and gives all that it added at once. */
    readonly answer: (id: SessionId, input: TurnInput, options?: SendOptions) => Effect.Effect<TurnResponse, AgentError>
  }
>()("effect-aap/AgentClient") {
  /** A client over an `HttpClient` of any platform. */
  static readonly layer = (options: AgentClientOptions): Layer.Layer<AgentClient, never, HttpClient.HttpClient> =>
    Layer.effect(
      AgentClient,
      Effect.suspend(() => make(options))
    )
}

/** Headers of one request. */
const RequestHeaders = Context.Reference<Readonly<Record<string, string>>>("effect-aap/client/RequestHeaders", {
  defaultValue: () => ({})
})

/**
 * Puts the key on each request, and the headers of the one at hand; no trace ids, which other hosts may not let through. No
 * redirect is followed: what is said, and secret options, are meant for the address that was given.
 */
const authorized =
  ({ apiKey }: AgentClientOptions) =>
  (client: HttpClient.HttpClient): HttpClient.HttpClient =>
    client.pipe(
      HttpClient.mapRequestEffect((request) =>
        Effect.map(RequestHeaders, (headers) => {
          const keyed = apiKey === undefined ? request : HttpClientRequest.bearerToken(request, apiKey)
          return HttpClientRequest.setHeaders(keyed, headers)
        })
      ),
      HttpClient.transformResponse(Effect.provideService(HttpClient.TracerPropagationEnabled, false)),
      HttpClient.transformResponse((sent) =>
        Effect.flatMap(Effect.serviceOption(FetchHttpClient.RequestInit), (init) =>
          Effect.provideService(sent, FetchHttpClient.RequestInit, {
            ...Option.getOrElse(init, () => ({})),
            redirect: "manual"
          })
        )
      )
    )

const withKey = ({ idempotencyKey }: SendOptions) =>
  Effect.provideService(RequestHeaders, idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey })

const responseMode = "response-only"

/** What is wrong with the options, and would be right. No key stands in it. */
const faultOf = ({ apiKey, baseUrl }: AgentClientOptions): string | undefined => {
  const url = URL.parse(String(baseUrl))
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return `${JSON.stringify(String(baseUrl))} is no address of a server; give one such as http://127.0.0.1:3010`
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    return `the address of a server has no user, password, query or fragment; give one such as ${url.origin}${url.pathname}`
  }
  return apiKey === undefined || /^[\x21-\x7e]+$/.test(Redacted.value(apiKey))
    ? undefined
    : "the key is none that can be sent: give visible ASCII characters, without a space or a line break"
}

/** Makes a client. Where its address or its key cannot be one, each request fails with `InvalidRequest`. */
export const make = Effect.fnUntraced(function* (
  options: AgentClientOptions
): Effect.fn.Return<AgentClient["Service"], never, HttpClient.HttpClient> {
  const fault = faultOf(options)
  const api = yield* HttpApiClient.make(Api, { baseUrl: options.baseUrl, transformClient: authorized(options) })

  const sent = <E>(
    request: Effect.Effect<HttpClientResponse.HttpClientResponse, E | HttpClientError.HttpClientError>
  ): Effect.Effect<HttpClientResponse.HttpClientResponse, AgentError> =>
    fault === undefined
      ? Effect.mapError(request, (error) =>
          HttpClientError.isHttpClientError(error)
            ? Answer.connectionFailed("request")(error)
            : new InvalidRequest({ message: Schema.isSchemaError(error) ? schemaSentence(error) : String(error) })
        )
      : Effect.fail(new InvalidRequest({ message: fault }))

  const ask = <E, A>(
    request: Effect.Effect<HttpClientResponse.HttpClientResponse, E | HttpClientError.HttpClientError>,
    read: (response: HttpClientResponse.HttpClientResponse) => Effect.Effect<A, AgentError>,
    isSafe = true
  ) => Retry.transient(Effect.flatMap(sent(request), read), isSafe)

  const sessionPage = (after?: string) =>
    ask(api.listSessions({ query: after === undefined ? {} : { after }, responseMode }), Answer.json(SessionPage))

  const send = (id: SessionId, payload: TurnRequest, options: SendOptions) =>
    withKey(options)(api.turn({ params: { id }, payload, responseMode }))

  const answer = (id: SessionId, input: TurnInput, options: SendOptions = {}) =>
    ask(
      send(id, { ...input, stream: "none" }, options),
      Answer.json(TurnResponse),
      options.idempotencyKey !== undefined
    )

  const toEvents = (response: TurnResponse): Stream.Stream<TurnEvent> =>
    Stream.fromIterable<TurnEvent>([
      { event: "turn_start", data: {} },
      ...Replay.events(response.messages, response.stopReason)
    ])

  return AgentClient.of({
    meta: ask(api.meta({ responseMode }), Answer.json(Meta)),
    sessionPage,
    sessions: Stream.paginate([] as ReadonlyArray<string>, (cursors) =>
      Effect.flatMap(sessionPage(cursors.at(-1)), ({ next, sessions }) =>
        next !== undefined && cursors.includes(next)
          ? Effect.fail(new InvalidAnswer({ message: "the next page of sessions is one that was read before" }))
          : Effect.succeed([sessions, Option.map(Option.fromUndefinedOr(next), (next) => [...cursors, next])] as const)
      )
    ),
    createSession: (payload, options = {}) =>
      ask(
        withKey(options)(api.createSession({ payload, responseMode })),
        (response) => Effect.map(Answer.json(SessionCreated)(response), ({ sessionId }) => sessionId),
        options.idempotencyKey !== undefined
      ),
    session: (id) => ask(api.getSession({ params: { id }, responseMode }), Answer.json(SessionInfo)),
    deleteSession: (id) => Effect.asVoid(ask(api.deleteSession({ params: { id }, responseMode }), Answer.accepted)),
    history: (id, type = "full") =>
      ask(api.getHistory({ params: { id }, query: { type }, responseMode }), (response) =>
        Effect.map(Answer.json(History)(response), ({ history }) =>
          "full" in history ? history.full : history.compacted
        )
      ),
    turn: (id, input, { stream = "delta", ...options } = {}) =>
      stream === "none"
        ? Stream.unwrap(Effect.map(answer(id, input, options), toEvents))
        : Stream.unwrap(
            ask(
              send(id, { ...input, stream }, options),
              (response) =>
                Effect.flatMap(
                  Answer.accepted(response),
                  (response): Effect.Effect<Stream.Stream<TurnEvent, AgentError>, AgentError> =>
                    Answer.isJson(response)
                      ? Effect.map(Answer.json(TurnResponse)(response), toEvents)
                      : Effect.map(Answer.events(response), TurnStream.read)
                ),
              options.idempotencyKey !== undefined
            )
          ),
    answer
  })
})
