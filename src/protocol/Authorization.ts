import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import { ErrorBody } from "./ErrorBody.ts"
import { HttpApiSchema } from "effect/http-api"

/** Who makes a request: the name that its key belongs to. */
export class Caller extends Context.Service<Caller, { readonly name: string }>()("effect-aap/Caller") {}

/** `Authorization: Bearer KEY`. Where a server has no keys, everybody on its machine is let in, but for pages from elsewhere. */
export class Authorization extends HttpApiMiddleware.Service<Authorization, { provides: Caller }>()(
  "effect-aap/Authorization",
  {
    security: { bearer: HttpApiSecurity.bearer },
    error: [ErrorBody.pipe(HttpApiSchema.status(401)), ErrorBody.pipe(HttpApiSchema.status(403))]
  }
) {}
