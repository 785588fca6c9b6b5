import { Cause, Clock, Duration, Effect, Exit, Option, Pull, Redacted, Result, Scope, Stream } from "effect"
import type * as Arr from "effect/Array"
import { HttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"
import * as AnswerReader from "./AnswerReader.ts"
import type { ModelEvent, ModelRequest } from "./ChatModel.ts"
import { ModelError } from "./ModelError.ts"
import type { ModelProvider } from "./ModelProvider.ts"
import * as RetryAfter from "./RetryAfter.ts"

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

/** Closes the connection when nothing has come for too long: one timer a request, set anew only when it runs out. */
const makeWatch = Effect.fnUntraced(function* (scope: Scope.Closeable, connection: Connection) {
  const clock = yield* Clock.Clock
  const firstByte = Duration.fromInputUnsafe(connection.firstByteTimeout ?? "1 minute")
  const idle = Duration.fromInputUnsafe(connection.idleTimeout ?? "1 minute")
  let heardAt = clock.currentTimeMillisUnsafe()
  let limit = firstByte
  let expired: ModelError | undefined
  const left = () => Duration.toMillis(limit) - (clock.currentTimeMillisUnsafe() - heardAt)
  const watch = Effect.suspend(() => Effect.sleep(Math.min(left(), Duration.toMillis(idle)))).pipe(
    Effect.repeat({ while: () => left() > 0 }),
    Effect.andThen(
      Effect.suspend(() => {
        expired = limit === firstByte ? silent("nothing", firstByte) : silent("nothing more", idle)
        return Scope.close(scope, Exit.void)
      })
    )
  )
  yield* Effect.forkScoped(watch)
  return {
    heard: () => {
      heardAt = clock.currentTimeMillisUnsafe()
      limit = idle
    },
    expired: () => expired
  }
})

type Watch = Effect.Success<ReturnType<typeof makeWatch>>

type Bytes = Arr.NonEmptyReadonlyArray<Uint8Array>

/** The pull of what an answer says, from the pull of its bytes. */
const pullEvents = (
  bytes: Pull.Pull<Bytes, ModelError>,
  reader: AnswerReader.AnswerReader,
  watch: Watch
): Pull.Pull<Arr.NonEmptyReadonlyArray<ModelEvent>, ModelError> => {
  let over = false
  let atEnd = false
  const settle = (heard: Result.Result<AnswerReader.Heard, ModelError>): typeof pull => {
    if (Result.isFailure(heard)) return Effect.fail(watch.expired() ?? heard.failure)
    over = heard.success.over
    const [first, ...rest] = heard.success.events
    return first === undefined ? pull : Effect.succeed([first, ...rest])
  }
  const ended = Effect.suspend(() => {
    atEnd = true
    return settle(reader.end())
  })
  const rest = Effect.suspend(() =>
    atEnd ? Effect.void : Effect.ignore(Effect.timeoutOption(Effect.forever(bytes), politeness))
  )
  const pull: Pull.Pull<Arr.NonEmptyReadonlyArray<ModelEvent>, ModelError> = Effect.suspend(() => {
    if (over) return Effect.andThen(rest, Cause.done())
    return Pull.matchEffect(bytes, {
      onSuccess: (pieces) => {
        watch.heard()
        return settle(reader.read(pieces))
      },
      onDone: () => ended,
      onFailure: (cause) => {
        const heard = reader.end()
        return Result.isSuccess(heard) ? settle(heard) : Effect.failCause(expiredCause(cause, watch))
      }
    })
  })
  return pull
}

const expiredCause = (cause: Cause.Cause<ModelError>, watch: Watch): Cause.Cause<ModelError> => {
  const expired = watch.expired()
  return expired === undefined ? cause : Cause.fail(expired)
}

const refusal = Effect.fnUntraced(function* (response: HttpClientResponse.HttpClientResponse) {
  const body = yield* Effect.orElseSucceed(response.text, () => "")
  return {
    status: response.status,
    body: body.slice(0, maxRefusal),
    retryAfterMillis: RetryAfter.parse(response.headers["retry-after"], yield* Clock.currentTimeMillis)
  }
})

/**
 * Streams a provider's answers over HTTP. The request is made when the stream is run, and its connection is closed when
 * the stream ends, fails or is interrupted.
 */
export const make =
  <State, Chunk>(provider: ModelProvider<State, Chunk>, client: HttpClient.HttpClient, connection: Connection) =>
  (request: ModelRequest): Stream.Stream<ModelEvent, ModelError> => {
    const open = Effect.gen(function* () {
      const { body, path, state } = provider.encode(request)
      const scope = yield* Scope.fork(yield* Effect.scope)
      const watch = yield* makeWatch(scope, connection)
      const key = connection.apiKey
      const response = yield* HttpClientRequest.post(`${connection.baseUrl.replace(/\/+$/, "")}${path}`).pipe(
        HttpClientRequest.setHeaders({
          accept: "text/event-stream",
          ...provider.headers,
          ...(key === undefined ? {} : provider.auth(Redacted.value(key)))
        }),
        HttpClientRequest.bodyJsonUnsafe(body),
        HttpClient.withScope(client).execute,
        Scope.provide(scope),
        Effect.mapError((cause) => watch.expired() ?? network(cause))
      )
      if (response.status < 200 || response.status > 299) return yield* provider.refuse(yield* refusal(response))
      const whole = Option.fromUndefinedOr(response.headers["content-type"])
      const reader = AnswerReader.make(
        provider,
        state,
        Option.exists(whole, (type) => type.includes("json"))
      )
      const bytes = Stream.mapError(response.stream, network)
      return Stream.transformPull(bytes, (pull) => Effect.succeed(pullEvents(pull, reader, watch)))
    })
    return Stream.unwrap(open)
  }
