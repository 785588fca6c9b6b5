import { Clock, Effect, Option, Schema, Stream } from "effect"
import { type HttpClientError, HttpClientResponse } from "effect/http"
import { ErrorBody } from "../protocol/ErrorBody.ts"
import * as RetryAfter from "../protocol/RetryAfter.ts"
import { type AgentError, ConnectionFailed, type ConnectionStage, InvalidAnswer, RequestRefused } from "./AgentError.ts"

type Response = HttpClientResponse.HttpClientResponse

/** How much of a body that is not ours stands in a message, in characters. */
const quoted = 200

/** How much of a refusal is read, in bytes. */
const longestRefusal = 1_000_000

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

/** The text of a refusal, whose body may have no end. */
const beginning = (response: Response): Effect.Effect<string, AgentError> =>
  bytes(response).pipe(
    Stream.limitBytes<HttpClientError.HttpClientError, never>(longestRefusal, () => Stream.empty),
    Stream.mapError(connectionFailed("answer")),
    Stream.decodeText,
    Stream.mkString
  )

/** The refusal that an answer is, whoever wrote its body. */
const refusal = Effect.fnUntraced(function* (response: Response): Effect.fn.Return<never, AgentError> {
  const text = yield* beginning(response)
  const now = yield* Clock.currentTimeMillis
  const wait = RetryAfter.parse(response.headers["retry-after"], now)
  const error = Option.match(decodeErrorBody(text), {
    onNone: () => ({
      code: `http_${response.status}`,
      message: `the server answered ${response.status}: ${text.trim().slice(0, quoted) || "with nothing"}`
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

/** The value that an answer has as its JSON body. */
export const json =
  <S extends Schema.ConstraintDecoder<unknown>>(schema: S) =>
  (response: Response): Effect.Effect<S["Type"], AgentError> =>
    Effect.flatMap(accepted(response), HttpClientResponse.schemaBodyJson(schema)).pipe(
      Effect.catchTags({
        SchemaError: ({ message }) =>
          Effect.fail(new InvalidAnswer({ message: `the answer is none of the protocol's: ${message}` })),
        HttpClientError: (error) =>
          Effect.fail(
            error.reason._tag === "DecodeError"
              ? new InvalidAnswer({ message: "the answer is no JSON" })
              : connectionFailed("answer")(error)
          )
      })
    )
