import { NodeHttpClient } from "@effect/platform-node"
import { type Duration, Effect, Result, Schema, type Scope, Stream } from "effect"
import { HttpClient, type HttpClientError, HttpClientRequest, type HttpClientResponse } from "effect/http"
import * as AddressGuard from "./AddressGuard.ts"

/** What an address names could not be fetched, and why. */
export class FetchFailed extends Schema.TaggedError<FetchFailed>()("FetchFailed", { message: Schema.String }) {}

/** What may be fetched, and how much of it. */
export interface PublicFetchOptions {
  /** Hosts, addresses and networks that may be fetched though they are not public. */
  readonly allow?: ReadonlyArray<string>
  /** How long it may take, redirects and all; twenty seconds by default. */
  readonly timeout?: Duration.Input
  /** How names are resolved; by the system, unless a test says otherwise. */
  readonly resolve?: AddressGuard.Resolve
}

/** How many redirects are followed. */
const maxRedirects = 5

/** A failure in words. */
export const fail = (message: string): Effect.Effect<never, FetchFailed> => Effect.fail(new FetchFailed({ message }))

const parseUrl = (text: string, base?: string): Result.Result<URL, FetchFailed> => {
  const url = URL.parse(text, base)
  const refuse = (message: string) => Result.fail(new FetchFailed({ message }))
  if (url === null) return refuse(`"${text}" is no address; give one such as https://example.org/page`)
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return refuse(`only http and https are fetched, not ${url.protocol}`)
  if (url.username !== "" || url.password !== "") return refuse("an address with a user or a password is not fetched")
  return Result.succeed(url)
}

const refusedAddress = (error: HttpClientError.HttpClientError): AddressGuard.AddressRefused | undefined => {
  const { cause } = error.reason
  return cause instanceof AddressGuard.AddressRefused ? cause : undefined
}

/** A body up to a length, and how it ended: by itself, at that length, or with its connection. */
export interface ReadBody {
  readonly bytes: Buffer
  readonly ended: "whole" | "cut" | "broken"
}

/** Reads a body up to a length. One that breaks before anything came is a failure. */
export const readBytes = (
  response: HttpClientResponse.HttpClientResponse,
  maxBytes: number
): Effect.Effect<ReadBody, FetchFailed> =>
  Effect.gen(function* () {
    const chunks: Array<Uint8Array> = []
    let size = 0
    const isWhole = yield* response.stream.pipe(
      Stream.takeUntil((chunk) => {
        chunks.push(chunk)
        size += chunk.length
        return size > maxBytes
      }),
      Stream.runDrain,
      Effect.isSuccess
    )
    if (!isWhole && size === 0) return yield* fail("the connection broke before anything came")
    const bytes = Buffer.concat(chunks).subarray(0, maxBytes)
    return { bytes, ended: size > maxBytes ? "cut" : isWhole ? "whole" : "broken" }
  })

type Visited<A> = { readonly _tag: "Read"; readonly value: A } | { readonly _tag: "Redirect"; readonly to: string }

/** Reads an answer that is no redirect; its connection is closed afterwards. */
export type Read<A> = (url: URL, response: HttpClientResponse.HttpClientResponse) => Effect.Effect<A, FetchFailed>

/**
 * Fetches from the public internet. Addresses are judged after their names are resolved, and again at each redirect; time
 * is bounded; nothing that identifies anybody is sent.
 */
export const make = <A>(
  options: PublicFetchOptions,
  accept: string,
  read: Read<A>
): ((url: string) => Effect.Effect<A, FetchFailed>) => {
  const { timeout = "20 seconds" } = options
  const allowed = AddressGuard.allow(options.allow ?? [])
  const client = NodeHttpClient.layerNodeHttpOptions({ lookup: AddressGuard.guardedLookup(allowed, options.resolve) })
  const visit = Effect.fnUntraced(function* (
    url: URL
  ): Effect.fn.Return<Visited<A>, FetchFailed, HttpClient.HttpClient | Scope.Scope> {
    if (!AddressGuard.mayConnect(allowed, url.hostname)) {
      return yield* fail(new AddressGuard.AddressRefused({ host: url.hostname }).message)
    }
    const client = HttpClient.withScope(yield* HttpClient.HttpClient)
    const response = yield* HttpClientRequest.get(url).pipe(
      HttpClientRequest.setHeaders({ "user-agent": "effect-aap", accept }),
      client.execute,
      Effect.mapError((error) => {
        const message = refusedAddress(error)?.message ?? `${url.host} could not be reached`
        return new FetchFailed({ message })
      })
    )
    const to = response.headers.location
    return response.status < 300 || response.status > 399 || to === undefined
      ? { _tag: "Read", value: yield* read(url, response) }
      : { _tag: "Redirect", to }
  })
  const follow = Effect.fnUntraced(function* (text: string) {
    let url = yield* Effect.fromResult(parseUrl(text))
    for (let redirects = 0; redirects <= maxRedirects; redirects++) {
      const visited = yield* Effect.scoped(visit(url))
      if (visited._tag === "Read") return visited.value
      url = yield* Effect.fromResult(parseUrl(visited.to, url.href))
    }
    return yield* fail(`${text} redirects more than ${maxRedirects} times`)
  })
  return (url) =>
    follow(url).pipe(
      Effect.timeoutOrElse({ duration: timeout, orElse: () => fail(`${url} took too long`) }),
      Effect.provide(client),
      // An address that a model made may quote what a user said, so no span has it.
      Effect.provideService(HttpClient.TracerDisabledWhen, () => true)
    )
}
