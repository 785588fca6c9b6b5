import { Cause, Clock, Duration, Effect, Exit, Layer, Option, Pull, Redacted, Result, Scope, Stream } from "effect"
import * as Arr from "effect/Array"
import { HttpBody, HttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"
import * as AnswerReader from "./AnswerReader.ts"
import { ChatModel, type ModelEvent, type ModelRequest } from "./ChatModel.ts"
import { ModelError } from "./ModelError.ts"
import type { ModelProvider } from "./ModelProvider.ts"
import * as RetryAfter from "../protocol/RetryAfter.ts"
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

const silent = (what: string, limit: Duration.Duration) =>
  new ModelError({
    reason: "timeout",
    message: `the model server sent ${what} for ${Duration.format(limit)}`,
    retryable: true
  })

/** How many times the idle timeout an answer may go on with comments alone. */
const commentPatience = 10

/**
 * Closes the connection when the server has sent nothing for too long: one timer a request, set anew only when it runs
 * out. Time counts only while somebody waits for the server, so a slow reader is never taken for a silent model.
 */
const makeWatch = Effect.fnUntraced(function* (scope: Scope.Closeable, connection: Connection) {
  const clock = yield* Clock.Clock
  const firstByte = Duration.fromInputUnsafe(connection.firstByteTimeout ?? "1 minute")
  const idle = Duration.fromInputUnsafe(connection.idleTimeout ?? "1 minute")
  let begun = false
  let waitingSince: number | undefined = clock.currentTimeMillisUnsafe()
  let saidAt = waitingSince
  let expired: ModelError | undefined
  const limit = () => Duration.toMillis(begun ? idle : firstByte)
  const left = () => limit() - (waitingSince === undefined ? 0 : clock.currentTimeMillisUnsafe() - waitingSince)
  const watch = Effect.suspend(() => Effect.sleep(Math.min(left(), Duration.toMillis(idle)))).pipe(
    Effect.repeat({ while: () => left() > 0 }),
    Effect.andThen(
      Effect.suspend(() => {
        expired = begun ? silent("nothing more", idle) : silent("nothing", firstByte)
        return Scope.close(scope, Exit.void)
      })
    )
  )
  yield* Effect.forkScoped(watch)
  return {
    waiting: () => {
      waitingSince = clock.currentTimeMillisUnsafe()
    },
    heard: () => {
      begun = true
      waitingSince = undefined
    },
    /** Notes whether what was heard says anything; the error of an answer that says nothing for far too long. */
    weigh: (says: boolean): ModelError | undefined => {
      const now = clock.currentTimeMillisUnsafe()
      if (says) saidAt = now
      const patience = Duration.times(idle, commentPatience)
      return now - saidAt > Duration.toMillis(patience) ? silent("nothing but comments", patience) : undefined
    },
    expired: () => expired
  }
})

type Watch = Effect.Success<ReturnType<typeof makeWatch>>

type Bytes = Arr.NonEmptyReadonlyArray<Uint8Array>

/** The pull of what an answer says, from the pull of its bytes. */
const pullEvents = (
  bytes: Pull.Pull<Bytes, unknown>,
  reader: AnswerReader.AnswerReader,
  watch: Watch,
  present: (error: ModelError) => ModelError
): Pull.Pull<Arr.NonEmptyReadonlyArray<ModelEvent>, ModelError> => {
  let over = false
  let atEnd = false
  let cut: Cause.Cause<ModelError> | undefined
  const settle = (heard: Result.Result<AnswerReader.Heard, ModelError>): typeof pull => {
    if (Result.isFailure(heard)) return Effect.fail(present(watch.expired() ?? heard.failure))
    over = heard.success.over
    const { events } = heard.success
    const empty = watch.weigh(events.length > 0)
    if (empty !== undefined) return Effect.fail(present(empty))
    return Arr.isReadonlyArrayNonEmpty(events) ? Effect.succeed(events) : pull
  }
  const rest = Effect.suspend(() =>
    atEnd ? Effect.void : Effect.ignore(Effect.timeoutOption(Effect.forever(bytes), politeness))
  )
  const pull: Pull.Pull<Arr.NonEmptyReadonlyArray<ModelEvent>, ModelError> = Effect.suspend(() => {
    if (over) return Effect.andThen(rest, Cause.done())
    if (cut !== undefined) return Effect.failCause(Cause.map(expiredCause(cut, watch), present))
    if (atEnd) return settle(reader.end())
    watch.waiting()
    return Pull.matchEffect(bytes, {
      onSuccess: (pieces) => {
        watch.heard()
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
  })
  return pull
}

const expiredCause = (cause: Cause.Cause<ModelError>, watch: Watch): Cause.Cause<ModelError> => {
  const expired = watch.expired()
  return expired === undefined ? cause : Cause.fail(expired)
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

/**
 * Streams a provider's answers over HTTP. The request is made when the stream is run, and its connection is closed when
 * the stream ends, fails or is interrupted.
 */
export const make =
  <State, Chunk>(provider: ModelProvider<State, Chunk>, client: HttpClient.HttpClient, connection: Connection) =>
  (request: ModelRequest): Stream.Stream<ModelEvent, ModelError> => {
    const present = presentable(connection.apiKey)
    const open = Effect.gen(function* () {
      const { body, path, state } = provider.encode(request)
      const json = yield* Effect.try({ try: () => HttpBody.jsonUnsafe(body), catch: unsendable })
      const scope = yield* Scope.fork(yield* Effect.scope)
      const watch = yield* makeWatch(scope, connection)
      const key = connection.apiKey
      const response = yield* HttpClientRequest.post(`${connection.baseUrl.replace(/\/+$/, "")}${path}`).pipe(
        HttpClientRequest.setHeaders({
          accept: "text/event-stream",
          ...provider.headers,
          ...(key === undefined ? {} : provider.auth(Redacted.value(key)))
        }),
        HttpClientRequest.setBody(json),
        HttpClient.withScope(client).execute,
        Scope.provide(scope),
        Effect.mapError((cause) => watch.expired() ?? network(cause)),
        Effect.catchDefect((cause) => Effect.fail(unusable(cause)))
      )
      if (response.status < 200 || response.status > 299) return yield* provider.refuse(yield* refusal(response))
      const whole = Option.fromUndefinedOr(response.headers["content-type"])
      const reader = AnswerReader.make(
        provider,
        state,
        Option.exists(whole, (type) => type.includes("json"))
      )
      const bytes = yield* StreamPull.make(response.stream, yield* Effect.scope)
      return Stream.fromPull(Effect.succeed(pullEvents(bytes, reader, watch, present)))
    })
    return Stream.unwrap(Effect.mapError(open, present))
  }

/** The models behind a provider's protocol, at a connection. */
export const layer = <State, Chunk>(
  provider: ModelProvider<State, Chunk>,
  connection: Connection
): Layer.Layer<ChatModel, never, HttpClient.HttpClient> =>
  Layer.effect(
    ChatModel,
    Effect.map(HttpClient.HttpClient, (client) => ({
      provider: provider.name,
      stream: make(provider, client, connection)
    }))
  )
