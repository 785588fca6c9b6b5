import { Context, Effect, Result, Schema, Stream } from "effect"
import { HttpServerRequest } from "effect/http"
import { isTooDeep, maxDepth } from "../history/JsonDepth.ts"
import { schemaDetails } from "../protocol/SchemaDetails.ts"
import { InvalidJson, InvalidRequest, PayloadTooLarge, UnsupportedMediaType } from "./RequestErrors.ts"

/** The largest body that is read, in bytes; ten megabytes by default. */
export const BodyLimit = Context.Reference<number>("effect-aap/BodyLimit", { defaultValue: () => 10_000_000 })

/** The most values and keys that a body may have. Ten megabytes of commas would take gigabytes once parsed. */
const maxTokens = 500_000

const parseJson = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Unknown))

const checkHeaders = (request: HttpServerRequest.HttpServerRequest, limit: number) => {
  const type = request.headers["content-type"]?.split(";")[0]?.trim().toLowerCase()
  if (type !== undefined && type !== "application/json" && !type.endsWith("+json")) {
    const message = `the body is ${type}; send application/json`
    return Effect.fail(new UnsupportedMediaType({ message }))
  }
  const encoding = request.headers["content-encoding"]
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
    return Effect.fail(new UnsupportedMediaType({ message: `the body is encoded as ${encoding}; send it plain` }))
  }
  return Number(request.headers["content-length"] ?? 0) > limit
    ? Effect.fail(new PayloadTooLarge({ limit }))
    : Effect.void
}

interface Body {
  readonly chunks: Array<Uint8Array>
  readonly size: number
}

const read = (request: HttpServerRequest.HttpServerRequest, limit: number) =>
  request.stream.pipe(
    Stream.mapError(() => new InvalidJson({ message: "the body ended early; send it whole" })),
    Stream.runFoldEffect(
      (): Body => ({ chunks: [], size: 0 }),
      ({ chunks, size }, chunk) => {
        if (size + chunk.length > limit) return Effect.fail(new PayloadTooLarge({ limit }))
        chunks.push(chunk)
        return Effect.succeed({ chunks, size: size + chunk.length })
      }
    ),
    Effect.map(({ chunks }) => Buffer.concat(chunks))
  )

const decodeText = (bytes: Uint8Array) =>
  Result.try({
    try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes),
    catch: () => new InvalidJson({ message: "the body is not UTF-8" })
  })

const hasTooManyTokens = (text: string): boolean => {
  let tokens = 0
  for (let index = text.indexOf(","); index !== -1; index = text.indexOf(",", index + 1)) {
    if (++tokens > maxTokens) return true
  }
  return false
}

const parse = (text: string): Result.Result<unknown, InvalidJson> => {
  const refuse = (message: string) => Result.fail(new InvalidJson({ message }))
  if (text.trim() === "") return refuse("the body is empty; send a JSON object")
  if (isTooDeep(text)) return refuse(`the body nests deeper than ${maxDepth} levels, the most that this server takes`)
  if (hasTooManyTokens(text))
    return refuse(`the body has more than ${maxTokens} values, the most that this server takes`)
  return Result.mapError(parseJson(text), () => new InvalidJson({ message: "the body is not valid JSON" }))
}

/** Reads the body of the request and decodes it; every way in which it can be wrong is an error that says so. */
export const decode = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decodeBody = Schema.decodeUnknownEffect(schema, { errors: "all" })
  return Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const limit = yield* BodyLimit
    yield* checkHeaders(request, limit)
    const text = yield* Effect.fromResult(decodeText(yield* read(request, limit)))
    const json = yield* Effect.fromResult(parse(text))
    return yield* Effect.mapError(
      decodeBody(json),
      ({ issue }) => new InvalidRequest({ details: schemaDetails(issue) })
    )
  })
}
