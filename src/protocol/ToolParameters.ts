import { Schema } from "effect"
import { JsonObject } from "./Content.ts"

/** A Schema of a tool's input: of an object, decoded without services. */
export type InputSchema = Schema.Codec<object, unknown>

const decodeParameters = Schema.decodeUnknownSync(JsonObject)

/**
 * What a model is told of a tool's input: one JSON Schema that stands by itself, the root in place, what it refers to under
 * `$defs`. No fields are no rules.
 */
export const make = (input: InputSchema): JsonObject => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(input)
  const root = typeof schema.$ref === "string" ? (definitions[schema.$ref.replace("#/$defs/", "")] ?? schema) : schema
  if (root.type === undefined && root.not !== undefined) return { type: "object", properties: {} }
  const rest = Object.keys(definitions).length === 0 ? {} : { $defs: definitions }
  return decodeParameters({ properties: {}, ...root, type: "object", ...rest })
}

/** Decodes the input of a call; every place that does not fit is named. */
export const decoder = <S extends InputSchema>(input: S) =>
  Schema.decodeUnknownEffect(Schema.toCodecJson(input), { errors: "all" })
