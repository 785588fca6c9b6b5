import { createHash, timingSafeEqual } from "node:crypto"
import { Context, Effect, Layer, Redacted } from "effect"
import { Authorization, Caller } from "../protocol/Authorization.ts"
import { toResponse } from "./ErrorResponses.ts"
import { Unauthorized } from "./RequestErrors.ts"

/** A key, and the name of the principal that it belongs to. A name may have several. */
export interface ApiKey {
  readonly name: string
  readonly key: Redacted.Redacted<string>
}

/** Who everybody is where there are no keys. */
export const anonymous = "local"

const digest = (key: string): Buffer => createHash("sha256").update(key).digest()

/** Knows the server's keys. */
export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    /** The name that a key belongs to; `undefined` for a key that is none. It takes as long for any key. */
    readonly nameOf: (key: Redacted.Redacted<string>) => string | undefined
  }
>()("effect-aap/ApiKeys") {
  /** These keys; everybody is {@link anonymous} where there are none. */
  static readonly layer = (keys: ReadonlyArray<ApiKey>): Layer.Layer<ApiKeys> => {
    const known = keys.map(({ key, name }) => ({ name, digest: digest(Redacted.value(key)) }))
    return Layer.succeed(ApiKeys, {
      nameOf: (key) => {
        if (known.length === 0) return anonymous
        const given = digest(Redacted.value(key))
        return known.reduce<string | undefined>(
          (found, { digest, name }) => (timingSafeEqual(digest, given) ? name : found),
          undefined
        )
      }
    })
  }
}

/** Lets in who has a key. */
export const authorization: Layer.Layer<Authorization, never, ApiKeys> = Layer.effect(
  Authorization,
  Effect.gen(function* () {
    const keys = yield* ApiKeys
    return Authorization.of({
      bearer: (app, { credential }) => {
        const name = keys.nameOf(credential)
        return name === undefined
          ? Effect.succeed(toResponse(new Unauthorized()))
          : Effect.provideService(app, Caller, { name })
      }
    })
  })
)
