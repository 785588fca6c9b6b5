import { Bytes, Context, Duration, Effect, Option, Redacted, Result, Schema, Stream } from "effect"
import type { Scope } from "effect"
import { HttpBody, HttpClient, HttpClientRequest, type HttpMethod } from "effect/http"
import * as RootCause from "../protocol/RootCause.ts"
import type { CleanUp } from "./CleanUp.ts"
import type { Recorder } from "./Exchange.ts"
import { RuleBroken } from "./Rule.ts"

/** A request. `key` stands in for the key of the check. */
export interface Ask {
  readonly method: HttpMethod.HttpMethod
  /** Below the base URL, such as `/meta`. */
  readonly path: string
  readonly body?: unknown
  readonly key?: Option.Option<string>
}

/** An answer as it begins. */
export interface Head {
  readonly status: number
  readonly contentType: string
}

/** An answer as it comes: what a body gives is read once, as bytes. */
export interface OpenAnswer extends Head {
  readonly body: Stream.Stream<Uint8Array, RuleBroken>
}

/** A whole answer. `json` is missing where the body is none. */
export interface Answer extends Head {
  readonly ask: Ask
  readonly bytes: Uint8Array
  readonly text: string
  readonly json: Option.Option<unknown>
}

/** What a check needs to know to speak with a server. */
export interface Place {
  /** Without a slash at its end. */
  readonly baseUrl: string
  readonly key: Option.Option<Redacted.Redacted<string>>
  /** How long an answer may take. */
  readonly patience: Duration.Duration
  readonly cleanUp: CleanUp
}

const parse = Schema.decodeResult(Schema.fromJsonString(Schema.Unknown))

/** A request as sentences name it. */
export const titleOf = ({ method, path }: Ask): string => `${method} ${path}`

/** An answer that takes longer than it may to come to its end. */
export const unended = (ask: Ask, patience: Duration.Duration) =>
  new RuleBroken({ message: `the answer to ${titleOf(ask)} does not end within ${Duration.format(patience)}` })

/** How much of an answer is read, in bytes: no rule asks for as much. */
const maxAnswer = 20_000_000

const endless = (ask: Ask) =>
  new RuleBroken({ message: `the answer to ${titleOf(ask)} has more than ${maxAnswer} bytes, and was left` })

/** The server that is checked. Every request is recorded; one that is not answered breaks the rule. */
export class AgentServer extends Context.Service<
  AgentServer,
  {
    /** Asks, and reads the whole answer. */
    readonly ask: (ask: Ask) => Effect.Effect<Answer, RuleBroken>
    /** Deletes what a rule has made, as well as can be. */
    readonly discard: (path: string) => Effect.Effect<void>
    /** Asks, and gives the answer once it begins; it is left with the scope. */
    readonly open: (ask: Ask) => Effect.Effect<OpenAnswer, RuleBroken, Scope.Scope>
  }
>()("effect-aap/conformance/AgentServer") {
  static readonly make = Effect.fnUntraced(function* ({ baseUrl, cleanUp, key, patience }: Place, recorder: Recorder) {
    const client = yield* HttpClient.HttpClient
    const ownKey = Option.map(key, Redacted.value)

    const toRequest = ({ body, key = ownKey, method, path }: Ask) =>
      HttpClientRequest.make(method)(`${baseUrl}${path}`, {
        headers: Option.match(key, { onNone: () => ({}), onSome: (key) => ({ authorization: `Bearer ${key}` }) }),
        ...(body === undefined ? {} : { body: HttpBody.text(JSON.stringify(body), "application/json") })
      })

    const open = Effect.fnUntraced(function* (ask: Ask) {
      const record = yield* recorder.begin({
        method: ask.method,
        path: ask.path,
        ...(ask.body === undefined ? {} : { sent: JSON.stringify(ask.body) })
      })
      const unanswered = (why: string) => new RuleBroken({ message: `${titleOf(ask)} has no answer: ${why}` })
      const response = yield* client.execute(toRequest(ask)).pipe(
        Effect.mapError((error) => unanswered(RootCause.message(error))),
        Effect.timeoutOrElse({
          duration: patience,
          orElse: () => Effect.fail(unanswered(`none has come within ${Duration.format(patience)}`))
        })
      )
      const head = { status: response.status, contentType: response.headers["content-type"] ?? "" }
      yield* record.answered(head)
      let size = 0
      const body = response.stream.pipe(
        Stream.catchIf(
          ({ reason }) => reason._tag === "EmptyBodyError",
          () => Stream.empty
        ),
        Stream.mapError(
          ({ message }) => new RuleBroken({ message: `the answer to ${titleOf(ask)} breaks off: ${message}` })
        ),
        Stream.tap((bytes) => {
          size += bytes.length
          return size > maxAnswer ? Effect.fail(endless(ask)) : record.received(bytes)
        })
      )
      return { ...head, body }
    })

    const ask = (ask: Ask) =>
      Effect.scoped(
        Effect.gen(function* () {
          const { body, ...head } = yield* open(ask)
          const bytes = yield* Stream.runCollect(body).pipe(
            Effect.timeoutOrElse({
              duration: patience,
              orElse: () => Effect.fail(unended(ask, patience))
            }),
            Effect.map(Bytes.concat)
          )
          const text = new TextDecoder().decode(bytes)
          return { ...head, ask, bytes, text, json: Result.getSuccess(parse(text)) }
        })
      )
    const discard = (path: string) => cleanUp.run(ask({ method: "DELETE", path }))
    return AgentServer.of({ ask, open, discard })
  })
}
