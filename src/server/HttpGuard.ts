import { Cause, Effect, Option, Result } from "effect"
import { HttpMiddleware, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiError } from "effect/http-api"
import { Api } from "../protocol/Api.ts"
import { schemaDetails } from "../protocol/SchemaDetails.ts"
import * as Errors from "../turn/Errors.ts"
import { type ApiFailure, toResponse, unexpected } from "./ErrorResponses.ts"
import * as Probes from "./Probes.ts"
import { InvalidRequest, MethodNotAllowed, UnknownRoute } from "./RequestErrors.ts"
import * as RequestTexts from "./RequestTexts.ts"

const endpoints = Object.values(Api.groups).flatMap((group) => Object.values(group.endpoints))

const probes = Object.values(Probes.paths).map((path) => ({ method: "GET", path }))

const routes = [...endpoints, ...probes].map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}/?$`)
}))

const noRoute = (request: HttpServerRequest.HttpServerRequest): ApiFailure => {
  const path = request.url.split("?")[0] ?? "/"
  const allow = [...new Set(routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))]
  const isOther = allow.length > 0 && !allow.some((method) => method === request.method)
  return isOther ? new MethodNotAllowed({ allow }) : new UnknownRoute({ path })
}

/** The failure that an endpoint's own machinery reports, as one of ours; `undefined` for what nobody foresaw. */
const toFailure = (
  cause: Cause.Cause<unknown>,
  request: HttpServerRequest.HttpServerRequest
): ApiFailure | undefined => {
  const errors = [
    ...Option.toArray(Cause.findErrorOption(cause)),
    ...Option.toArray(Result.getSuccess(Cause.findDefect(cause)))
  ]
  for (const error of errors) {
    if (HttpApiError.HttpApiSchemaError.is(error)) {
      return new InvalidRequest({ details: schemaDetails(error.cause.issue) })
    }
    if (HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound") return noRoute(request)
  }
  return undefined
}

/** Makes every failure an answer in the protocol's error shape: no empty bodies, no stack traces. */
const withErrors = <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.catchCause(app, (cause) =>
    Effect.gen(function* () {
      if (Cause.hasInterruptsOnly(cause)) return yield* Effect.interrupt
      const failure = toFailure(cause, yield* HttpServerRequest.HttpServerRequest)
      if (failure !== undefined) return toResponse(failure)
      yield* Errors.count("internal")
      yield* Effect.logError("a request failed unexpectedly", cause)
      return unexpected
    })
  )

const requestIdPattern = /^[\w.:=+/@-]{1,128}$/

/** Gives every answer the id of its request: the client's own if it is a plain one, else a new one. */
const withRequestId = <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.gen(function* () {
    const given = (yield* HttpServerRequest.HttpServerRequest).headers["x-request-id"]
    const id = given !== undefined && requestIdPattern.test(given) ? given : globalThis.crypto.randomUUID()
    yield* Effect.annotateCurrentSpan("aap.request.id", id)
    return HttpServerResponse.setHeader(yield* Effect.annotateLogs(app, { requestId: id }), "x-request-id", id)
  })

/** Open to any page: credentials are bearer keys, which no browser sends by itself, and without keys the page is looked at. */
const withCors = HttpMiddleware.cors({
  allowedMethods: ["GET", "POST", "DELETE"],
  allowedHeaders: ["authorization", "content-type", "idempotency-key", "x-request-id"],
  exposedHeaders: ["retry-after", "x-request-id"],
  maxAge: 86_400
})

/** What stands around every endpoint. */
export const guard = <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  withRequestId(withCors(RequestTexts.guarded(withErrors(app))))
