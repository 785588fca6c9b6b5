import { Clock, Effect, Option, Schema, Stream } from "effect"
import type { HttpClientError, HttpClientResponse } from "effect/http"
import { ErrorBody } from "../protocol/ErrorBody.ts"
import * as RetryAfter from "../protocol/RetryAfter.ts"
import { type AgentError, ConnectionFailed, type ConnectionStage, InvalidAnswer, RequestRefused } from "./AgentError.ts"

type Response = HttpClientResponse.HttpClientResponse

/** How much of a body that is not ours stands in a message, in characters. */
const quoted = 200

/** How much of a refusal is read, in bytes. */
const longestRefusal = 1_000_000

/** How much of an answer that is one JSON value is read, in bytes: histories with images are large. */
const longestJson = 100_000_000

const decodeErrorBody = Schema.decodeUnknownOption(Schema.fromJsonString(ErrorBody))

const failed: Readonly<Record<ConnectionStage, string>> = {
  request: "the server cannot be reached",
  answer: "the connection broke before the answer was whole"
}

/** What went wrong with a request on its way, as the client tells it. */
export const connectionFailed =
  (stage: ConnectionStage) =>
  (error: HttpClientError.HttpClientError): ConnectionFailed => {
    const { cause } = error.reason
    const why =
      cause instanceof Error ? (cause.cause instanceof Error ? cause.cause.message : cause.message) : error.message
    return new ConnectionFailed({ stage, message: `${failed[stage]}: ${why}`, cause: error })
  }

const mediaType = ({ headers }: Response): string =>
  (headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? ""

/** Whether an answer says that it is JSON. */
export const isJson = (response: Response): boolean => /[/+]json$/.test(mediaType(response))

/** The bytes of a body, and none where there is no body. */
const bytes = ({ stream }: Response): Stream.Stream<Uint8Array, HttpClientError.HttpClientError> =>
  Stream.catchIf(
    stream,
    ({ reason }) => reason._tag === "EmptyBodyError",
    () => Stream.empty
  )

/** The bytes of a stream of events. An answer that says it is something else is none. */
export const events = (response: Response): Effect.Effect<Stream.Stream<Uint8Array, AgentError>, InvalidAnswer> => {
  const type = mediaType(response)
  return type === "text/event-stream" || type === ""
    ? Effect.succeed(Stream.mapError(bytes(response), connectionFailed("answer")))
    : Effect.fail(new InvalidAnswer({ message: `the answer is ${type}, not a stream of events` }))
}

/** The text of a body, which may have no end: where it is longer than `limit` bytes, `rest` stands for what is behind. */
const textOf = (
  response: Response,
  limit: number,
  rest: Stream.Stream<Uint8Array, AgentError>
): Effect.Effect<string, AgentError> =>
  bytes(response).pipe(
    Stream.mapError((error): AgentError => connectionFailed("answer")(error)),
    Stream.limitBytes(limit, () => rest),
    Stream.decodeText,
    Stream.mkString
  )

const isRedirect = ({ headers: { location }, status }: Response): boolean => status === 0 || location !== undefined

/** What an answer was, in words. A redirect is told with where it leads, which browsers do not let a page know. */
const statusText = ({ headers: { location }, status }: Response): string => {
  if (status === 0) return "with a redirect, which is not followed; give the address that it leads to"
  return location === undefined
    ? `${status}`
    : `${status} and points to ${location.slice(0, quoted)}, which is not followed; give that address where it is the right one`
}

/** The refusal that an answer is, whoever wrote its body. */
const refusal = Effect.fnUntraced(function* (response: Response): Effect.fn.Return<never, AgentError> {
  const text = yield* textOf(response, longestRefusal, Stream.empty)
  const now = yield* Clock.currentTimeMillis
  const wait = RetryAfter.parse(response.headers["retry-after"], now)
  const error = Option.match(decodeErrorBody(text), {
    onNone: () => ({
      code: `http_${response.status}`,
      message: `the server answered ${statusText(response)}${isRedirect(response) ? "" : `: ${text.trim().slice(0, quoted) || "with nothing"}`}`
    }),
    onSome: ({ error }) => error
  })
  return yield* new RequestRefused({
    status: response.status,
    ...error,
    ...(wait === undefined ? {} : { retryAfterMillis: wait })
  })
})

/** The answer, where it is no refusal. */
export const accepted = (response: Response): Effect.Effect<Response, AgentError> =>
  response.status >= 200 && response.status < 300 ? Effect.succeed(response) : refusal(response)

const tooLong = Stream.fail(
  new InvalidAnswer({ message: `the answer is longer than ${longestJson} bytes, the most that is read` })
)

/** The value that an answer has as its JSON body. */
export const json = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownEffect(schema)
  return Effect.fnUntraced(function* (response: Response): Effect.fn.Return<S["Type"], AgentError> {
    const text = yield* textOf(yield* accepted(response), longestJson, tooLong)
    const value = yield* Effect.try({
      try: (): unknown => JSON.parse(text),
      catch: () => new InvalidAnswer({ message: "the answer is no JSON" })
    })
    return yield* Effect.mapError(
      decode(value),
      ({ message }) => new InvalidAnswer({ message: `the answer is none of the protocol's: ${message}` })
    )
  })
}
