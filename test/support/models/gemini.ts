import { Redacted, Schema } from "effect"
import * as Gemini from "../../../src/model/Gemini.ts"
import { type Dialect, frame, isBlank, isPlain, type Json, type Said, sign } from "./dialect.ts"

const Part = Schema.Struct({
  text: Schema.optionalKey(Schema.String),
  thoughtSignature: Schema.optionalKey(Schema.String),
  functionCall: Schema.optionalKey(Schema.Struct({ name: Schema.String, args: Schema.JsonObject })),
  functionResponse: Schema.optionalKey(Schema.Struct({ name: Schema.String, response: Schema.JsonObject })),
  inlineData: Schema.optionalKey(Schema.Struct({ mimeType: Schema.String, data: Schema.String }))
})

const Request = Schema.Struct({
  contents: Schema.Array(Schema.Struct({ role: Schema.Literals(["user", "model"]), parts: Schema.Array(Part) })),
  systemInstruction: Schema.optionalKey(Schema.Struct({ parts: Schema.Array(Part) })),
  tools: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        functionDeclarations: Schema.Array(
          Schema.Struct({ name: Schema.String, description: Schema.String, parametersJsonSchema: Schema.JsonObject })
        )
      })
    )
  ),
  generationConfig: Schema.optionalKey(Schema.JsonObject)
})
const decode = Schema.decodeUnknownSync(Request)

const isSigned = (call: { readonly name: string; readonly args: Json }, signature: string | undefined) =>
  signature === "skip_thought_signature_validator" || signature === sign(call.name + JSON.stringify(call.args))

const flaw = (body: Json, model: string): string | undefined => {
  const { contents, tools = [] } = decode(body)
  if (tools.some(({ functionDeclarations }) => functionDeclarations.some(({ name }) => !isPlain(name))))
    return "a tool's name is not plain"
  if (contents[0] !== undefined && contents[0].role !== "user") return "the first content is not the user's"
  for (const [index, { parts, role }] of contents.entries()) {
    if (parts.length === 0) return `content ${index} is empty`
    if (contents[index - 1]?.role === role) return `contents ${index - 1} and ${index} are of one role`
    if (parts.some(({ text }) => text !== undefined && isBlank(text))) return `content ${index} has a blank text`
    const calls = parts.filter(({ functionCall }) => functionCall !== undefined)
    const [first, ...others] = calls
    const needsSignature = first?.thoughtSignature !== undefined || model.startsWith("gemini-3")
    if (needsSignature && first?.functionCall !== undefined && !isSigned(first.functionCall, first.thoughtSignature))
      return `content ${index}: a call is not signed`
    if (
      others.some(
        ({ functionCall, thoughtSignature }) =>
          thoughtSignature !== undefined && functionCall !== undefined && !isSigned(functionCall, thoughtSignature)
      )
    ) {
      return `content ${index}: a signature was changed`
    }
    const called = calls.map(({ functionCall }) => functionCall?.name)
    if (called.some((name) => !isPlain(name))) return `content ${index}: a called name is not plain`
    const answered = (contents[index + 1]?.parts ?? [])
      .slice(0, called.length)
      .map(({ functionResponse }) => functionResponse?.name)
    if (called.length > 0 && JSON.stringify(called) !== JSON.stringify(answered))
      return `content ${index}: calls without responses`
    const before = contents[index - 1]?.parts.filter(({ functionCall }) => functionCall !== undefined).length ?? 0
    const results = parts.filter(({ functionResponse }) => functionResponse !== undefined)
    if (results.length !== (role === "user" ? before : 0)) return `content ${index}: responses without calls`
    if (results.some(({ functionResponse }) => isBlank(functionResponse?.response["result"])))
      return `content ${index}: a blank response`
  }
  return undefined
}

const chunk = (parts: ReadonlyArray<object>, rest: object = {}) =>
  frame({ candidates: [{ content: { role: "model", parts }, ...rest }] })

const saidFrames = (said: Said): ReadonlyArray<string> => {
  if ("text" in said) return said.text.map((text) => chunk([{ text }]))
  if ("thinking" in said) return said.thinking.map((text) => chunk([{ text, thought: true }]))
  if ("hidden" in said) return []
  const [name, ...pieces] = said.call
  const args = JSON.parse(pieces.join("") || "{}") as Json
  return [chunk([{ functionCall: { name, args }, thoughtSignature: sign(name + JSON.stringify(args)) }])]
}

const stops = { stop: "STOP", length: "MAX_TOKENS", refusal: "SAFETY" } as const

/** Google's Gemini API. The model's name stands in the path. */
export const gemini: Dialect = {
  name: "gemini",
  layer: (baseUrl) => Gemini.layer({ baseUrl, apiKey: Redacted.make("secret"), idleTimeout: "300 millis" }),
  encode: (request) => Gemini.provider(false).encode(request).body,
  modelOf: (path) =>
    decodeURIComponent(/\/v1beta\/models\/([^:]+):streamGenerateContent\?alt=sse$/.exec(path)?.[1] ?? ""),
  flaw,
  key: ["x-goog-api-key", "secret"],
  frames: ({ ends, says }) => {
    const usageMetadata = {
      promptTokenCount: 7,
      candidatesTokenCount: 2,
      thoughtsTokenCount: 1,
      cachedContentTokenCount: 2
    }
    const begun = says.flatMap(saidFrames)
    if (ends === "overloaded")
      return [...begun, frame({ error: { code: 503, message: "The model is overloaded", status: "UNAVAILABLE" } })]
    if (ends === "context")
      return [
        ...begun,
        frame({
          error: { code: 400, message: "The input token count (9) exceeds the maximum number of tokens allowed (8)." }
        })
      ]
    if (ends !== "stop" && ends !== "length" && ends !== "refusal") return begun
    return [...begun, frame({ candidates: [{ finishReason: stops[ends] }], usageMetadata })]
  }
}
