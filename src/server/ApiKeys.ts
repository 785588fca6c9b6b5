import { timingSafeEqual } from "node:crypto"
import { Context, Effect, Layer, Option, type Redacted } from "effect"
import { HttpServerRequest } from "effect/http"
import { Authorization, Caller } from "../protocol/Authorization.ts"
import { KeyStore } from "../session/KeyStore.ts"
import * as KeyText from "../session/KeyText.ts"
import { RequestLimit } from "../session/RequestLimit.ts"
import { Principal } from "../session/Session.ts"
import type { StoreError } from "../session/SessionStore.ts"
import { answered } from "./ErrorResponses.ts"
import * as LocalPage from "./LocalPage.ts"
import { PageOrigins } from "./PageOrigins.ts"
import { type OriginNotAllowed, Unauthorized } from "./RequestErrors.ts"

/** A key, and the name of the principal that it belongs to. A name may have several. */
export interface ApiKey {
  readonly name: string
  readonly key: Redacted.Redacted<string>
}

/** Who everybody is where there are no keys. */
export const anonymous = Principal.make("local")

/** Knows the server's keys: those that it is given, and those that its {@link KeyStore} has at the moment. */
export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    /** Whose a key is; none for a key that is none. */
    readonly principalOf: (key: Redacted.Redacted<string>) => Effect.Effect<Option.Option<Principal>, StoreError>
    /** Whether there is no key, and never was one: then all are {@link anonymous}. */
    readonly isOpen: Effect.Effect<boolean, StoreError>
  }
>()("effect-aap/ApiKeys") {
  /**
   * These keys, and the store's.
   *
   * 1. It takes as long for any of these keys. The store looks for a hash by its index, whose timing is no use to anybody
   *    who cannot choose the hashes of keys.
   * 2. Nothing is remembered of the store: what was added or revoked holds for the next request.
   * 3. Everybody is let in where only this machine reaches the server, and there never was a key: where the last one was
   *    revoked nobody is.
   */
  static readonly layer = (
    keys: ReadonlyArray<ApiKey>,
    { isLoopback }: { readonly isLoopback: boolean }
  ): Layer.Layer<ApiKeys> =>
    Layer.effect(
      ApiKeys,
      Effect.gen(function* () {
        const store = yield* KeyStore
        const known = keys.map(({ key, name }) => ({
          name: Principal.make(name),
          hash: Buffer.from(KeyText.hash(key))
        }))
        const given = (hash: Buffer): Principal | undefined =>
          known.reduce<Principal | undefined>(
            (found, other) => (timingSafeEqual(other.hash, hash) ? other.name : found),
            undefined
          )
        // Keys never go: once there is one, there is no need to ask again.
        let isClosed = !isLoopback || known.length > 0
        const isOpen = Effect.suspend(() =>
          isClosed
            ? Effect.succeed(false)
            : Effect.map(store.hasKeys, (hasKeys) => {
                isClosed = hasKeys
                return !hasKeys
              })
        )
        return {
          principalOf: Effect.fnUntraced(function* (key) {
            const hash = KeyText.hash(key)
            const found = Option.fromUndefinedOr(given(Buffer.from(hash)))
            if (Option.isSome(found)) return found
            // What cannot be a key of the store is no reason to ask it.
            return KeyText.isKey(key) ? yield* store.principalOf(hash) : Option.none()
          }),
          isOpen
        }
      })
    )
}

/** Whose a key is; {@link anonymous} where there are no keys and it is not a page from elsewhere that asks. */
export const identify = Effect.fnUntraced(function* (
  credential: Redacted.Redacted<string>,
  keys: ApiKeys["Service"],
  origins: ReadonlyArray<string>
): Effect.fn.Return<Principal, StoreError | Unauthorized | OriginNotAllowed, HttpServerRequest.HttpServerRequest> {
  const known = yield* keys.principalOf(credential)
  if (Option.isSome(known)) return known.value
  if (!(yield* keys.isOpen)) return yield* new Unauthorized()
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  yield* Effect.fromResult(LocalPage.check({ host: headers["host"], origin: headers["origin"] }, origins))
  return anonymous
})

/** Lets in who has a key, or anybody of this machine where there are none, as often as the {@link RequestLimit} lets them. */
export const authorization: Layer.Layer<Authorization, never, ApiKeys | PageOrigins> = Layer.effect(
  Authorization,
  Effect.gen(function* () {
    const keys = yield* ApiKeys
    const limit = yield* RequestLimit
    const origins = yield* PageOrigins
    const admit = Effect.fnUntraced(function* (credential: Redacted.Redacted<string>) {
      const name = yield* identify(credential, keys, origins)
      yield* limit.take(name)
      return { name }
    })
    return Authorization.of({
      bearer: (app, { credential }) =>
        Effect.matchEffect(admit(credential), {
          onFailure: (failure) => answered(Effect.fail(failure)),
          onSuccess: (caller) => Effect.provideService(app, Caller, caller)
        })
    })
  })
)
