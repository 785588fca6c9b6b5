import { Cause, Clock, Duration, Effect, Layer, Option, Pull, Redacted, Result, Scope, Stream } from "effect"
import * as Arr from "effect/Array"
import { HttpBody, HttpClient, type HttpClientError, HttpClientRequest, type HttpClientResponse } from "effect/http"
import * as AnswerReader from "./AnswerReader.ts"
import { ChatModel, type ModelEvent, type ModelRequest } from "./ChatModel.ts"
import { ModelError } from "./ModelError.ts"
import type { ModelProvider } from "./ModelProvider.ts"
import * as RetryAfter from "../protocol/RetryAfter.ts"
import * as SilenceWatch from "./SilenceWatch.ts"
import * as StreamPull from "./StreamPull.ts"

/** Where a provider is, with whose key, and how long it may be silent. */
export interface Connection {
  /** With its version, such as `https://api.openai.com/v1`. */
  readonly baseUrl: string
  readonly apiKey?: Redacted.Redacted<string>
  /** How long the first byte of an answer may take; a minute by default. */
  readonly firstByteTimeout?: Duration.Input
  /** How long an answer may pause; a minute by default. */
  readonly idleTimeout?: Duration.Input
}

/** How much of a refusal's body is read, in characters. */
const maxRefusal = 10_000

/** How long a refusal's body is waited for. */
const refusalPatience = Duration.seconds(5)

/** How long the end of a connection is waited for once an answer is over, so that the connection can be used again. */
const politeness = Duration.millis(100)

const network = (cause: unknown) =>
  new ModelError({
    reason: "network",
    message: "the model server could not be reached, or hung up",
    retryable: true,
    cause
  })

/** The pull of what an answer says, from the pull of its bytes. */
const pullEvents = (
  bytes: StreamPull.StreamPull<Uint8Array, unknown>,
  reader: AnswerReader.AnswerReader,
  watch: SilenceWatch.SilenceWatch,
  watched: SilenceWatch.Watched,
  present: (error: ModelError) => ModelError
): StreamPull.StreamPull<ModelEvent, ModelError> => {
  let over = false
  let atEnd = false
  let cut: Cause.Cause<ModelError> | undefined
  const settle = (heard: Result.Result<AnswerReader.Heard, ModelError>): typeof pull => {
    if (Result.isFailure(heard)) return Effect.fail(present(watched.expired ?? heard.failure))
    over = heard.success.over
    const { events } = heard.success
    const empty = watch.weigh(watched, events.length > 0)
    if (empty !== undefined) return Effect.fail(present(empty))
    return Arr.isReadonlyArrayNonEmpty(events) ? Effect.succeed(events) : pull
  }
  const rest = Effect.suspend(() =>
    atEnd ? Effect.void : Effect.ignore(Effect.timeoutOption(Effect.forever(bytes), politeness))
  )
  const pull: StreamPull.StreamPull<ModelEvent, ModelError> = Effect.suspend(() => {
    if (over) return Effect.andThen(rest, Cause.done())
    if (cut !== undefined)
      return Effect.failCause(Cause.map(watched.expired === undefined ? cut : Cause.fail(watched.expired), present))
    if (atEnd) return settle(reader.end())
    watch.wait(watched)
    return more
  })
  const more = Pull.matchEffect(bytes, {
    onSuccess: (pieces) => {
      watch.hear(watched)
      return settle(reader.read(pieces))
    },
    onDone: () => {
      atEnd = true
      return settle(reader.end())
    },
    onFailure: (cause) => {
      cut = Cause.map(cause, network)
      const heard = reader.end()
      return Result.isSuccess(heard) ? settle(heard) : pull
    }
  })
  return pull
}

/** The beginning of a body, as text; what cannot be read of it is left out. */
const beginning = (response: HttpClientResponse.HttpClientResponse): Effect.Effect<string> =>
  Effect.suspend(() => {
    const text = new TextDecoder()
    let body = ""
    return response.stream.pipe(
      Stream.takeUntil((piece) => {
        body += text.decode(piece, { stream: true })
        return body.length > maxRefusal
      }),
      Stream.runDrain,
      Effect.timeoutOption(refusalPatience),
      Effect.ignore,
      Effect.map(() => body.slice(0, maxRefusal))
    )
  })

const refusal = Effect.fnUntraced(function* (response: HttpClientResponse.HttpClientResponse) {
  return {
    status: response.status,
    body: yield* beginning(response),
    retryAfterMillis: RetryAfter.parse(response.headers["retry-after"], yield* Clock.currentTimeMillis)
  }
})

/** An error as a log may have it: what a server echoes of the key is hidden, and no line of it looks like another's. */
const presentable =
  (key: Redacted.Redacted<string> | undefined) =>
  (error: ModelError): ModelError => {
    const text = key === undefined ? error.message : error.message.replaceAll(Redacted.value(key), "***")
    const message = text.replaceAll(/\p{Cc}+/gu, " ")
    return message === error.message ? error : new ModelError({ ...error, message })
  }

const unsendable = (cause: unknown) =>
  new ModelError({
    reason: "context_overflow",
    message: "the conversation is too large to be sent to the model server",
    retryable: false,
    cause
  })

const unusable = (cause: unknown) =>
  new ModelError({
    reason: "invalid_request",
    message: "the model server's address or key is none that a request can carry",
    retryable: false,
    cause
  })

/** A client whose requests are aborted when their scope ends. */
type ScopedClient = HttpClient.HttpClient.With<HttpClientError.HttpClientError, Scope.Scope>

/**
 * Requests run in a context of their own. Effect's client merges it with that of its Layer, and so has it hold all services in
 * a map; the context outside, which the scope holds until the answer is over, is spared that.
 */
const scoped = (client: HttpClient.HttpClient): ScopedClient =>
  HttpClient.withScope(
    HttpClient.transform(client, (effect) => Effect.flatMap(Effect.scope, (scope) => Scope.provide(effect, scope)))
  )

/**
 * Streams a provider's answers over HTTP. The request is made when the stream is run, and its connection is closed when
 * the stream ends, fails or is interrupted.
 */
const stream =
  <State, Chunk>(
    provider: ModelProvider<State, Chunk>,
    client: ScopedClient,
    connection: Connection,
    watch: SilenceWatch.SilenceWatch
  ) =>
  (request: ModelRequest): Stream.Stream<ModelEvent, ModelError> => {
    const present = presentable(connection.apiKey)
    const open = (outer: Scope.Scope) =>
      Effect.gen(function* () {
        const { body, path, state } = provider.encode(request)
        const json = yield* Effect.try({ try: () => HttpBody.jsonUnsafe(body), catch: unsendable })
        const scope = yield* Scope.fork(outer)
        const watched = yield* watch.begin(scope)
        const key = connection.apiKey
        const response = yield* HttpClientRequest.post(`${connection.baseUrl.replace(/\/+$/, "")}${path}`).pipe(
          HttpClientRequest.setHeaders({
            accept: "text/event-stream",
            ...provider.headers,
            ...(key === undefined ? {} : provider.auth(Redacted.value(key)))
          }),
          HttpClientRequest.setBody(json),
          client.execute,
          Scope.provide(scope),
          Effect.mapError((cause) => watched.expired ?? network(cause)),
          Effect.catchDefect((cause) => Effect.fail(unusable(cause)))
        )
        if (response.status < 200 || response.status > 299) return yield* provider.refuse(yield* refusal(response))
        const whole = Option.fromUndefinedOr(response.headers["content-type"])
        const reader = AnswerReader.make(
          provider,
          state,
          Option.exists(whole, (type) => type.includes("json"))
        )
        const bytes = yield* StreamPull.make(response.stream, outer)
        return pullEvents(bytes, reader, watch, watched, present)
      })
    return StreamPull.toStream((scope) => Effect.mapError(open(scope), present))
  }

/** The models behind a provider's protocol, at a connection. */
export const layer = <State, Chunk>(
  provider: ModelProvider<State, Chunk>,
  connection: Connection
): Layer.Layer<ChatModel, never, HttpClient.HttpClient> =>
  Layer.effect(
    ChatModel,
    Effect.gen(function* () {
      const client = scoped(yield* HttpClient.HttpClient)
      const watch = yield* SilenceWatch.make({
        firstByte: Duration.fromInputUnsafe(connection.firstByteTimeout ?? "1 minute"),
        idle: Duration.fromInputUnsafe(connection.idleTimeout ?? "1 minute")
      })
      return ChatModel.of({ provider: provider.name, stream: stream(provider, client, connection, watch) })
    })
  )
