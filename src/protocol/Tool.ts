import { Schema } from "effect"
import { InputContent, JsonObject } from "./Content.ts"

/** A tool as the model is told of it. `parameters` is a JSON Schema of an object. */
export const ToolSpec = Schema.Struct({
  name: Schema.NonEmptyString,
  title: Schema.optionalKey(Schema.String),
  description: Schema.String,
  parameters: JsonObject
}).annotate({ identifier: "ToolSpec" })
export type ToolSpec = typeof ToolSpec.Type

/** A server tool that a session switches on. Trusted ones run inline, others wait for the application's permission. */
export const ServerToolRef = Schema.Struct({
  name: Schema.NonEmptyString,
  trust: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "ServerToolRef" })
export type ServerToolRef = typeof ServerToolRef.Type

/** A call that the model made. */
export const ToolCall = Schema.Struct({
  toolCallId: Schema.NonEmptyString,
  name: Schema.NonEmptyString,
  input: JsonObject
}).annotate({ identifier: "ToolCall" })
export type ToolCall = typeof ToolCall.Type

/** What came of a call. */
export const ToolResult = Schema.Struct({
  toolCallId: Schema.NonEmptyString,
  content: InputContent
}).annotate({ identifier: "ToolResult" })
export type ToolResult = typeof ToolResult.Type
