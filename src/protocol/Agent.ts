import { Schema } from "effect"
import { ServerToolRef, ToolSpec } from "./Tool.ts"

const common = {
  name: Schema.NonEmptyString,
  title: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String)
}

/** An option of any text. */
export const TextOption = Schema.Struct({
  type: Schema.Literal("text"),
  ...common,
  default: Schema.String
}).annotate({ identifier: "TextOption" })
export type TextOption = typeof TextOption.Type

/** An option whose value is never shown again: it reads as `***`. */
export const SecretOption = Schema.Struct({
  type: Schema.Literal("secret"),
  ...common,
  default: Schema.String
}).annotate({ identifier: "SecretOption" })
export type SecretOption = typeof SecretOption.Type

/** An option with a fixed set of values. */
export const SelectOption = Schema.Struct({
  type: Schema.Literal("select"),
  ...common,
  options: Schema.Array(Schema.String),
  default: Schema.String
}).annotate({ identifier: "SelectOption" })
export type SelectOption = typeof SelectOption.Type

/** A setting of an agent that a session may override. */
export const AgentOption = Schema.Union([TextOption, SecretOption, SelectOption]).annotate({
  identifier: "AgentOption"
})
export type AgentOption = typeof AgentOption.Type

/** "Supported": capabilities are empty objects, an absent one means "not supported". */
const Supported = Schema.Struct({})

/** What an agent can do. An absent leaf means that it cannot. */
export const Capabilities = Schema.Struct({
  history: Schema.optionalKey(
    Schema.Struct({ compacted: Schema.optionalKey(Supported), full: Schema.optionalKey(Supported) })
  ),
  stream: Schema.optionalKey(
    Schema.Struct({
      delta: Schema.optionalKey(Supported),
      message: Schema.optionalKey(Supported),
      none: Schema.optionalKey(Supported)
    })
  ),
  application: Schema.optionalKey(Schema.Struct({ tools: Schema.optionalKey(Supported) })),
  image: Schema.optionalKey(Schema.Struct({ http: Schema.optionalKey(Supported), data: Schema.optionalKey(Supported) }))
}).annotate({ identifier: "Capabilities" })
export type Capabilities = typeof Capabilities.Type

/** An agent as `GET /meta` shows it. */
export const AgentInfo = Schema.Struct({
  name: Schema.NonEmptyString,
  title: Schema.optionalKey(Schema.String),
  version: Schema.String,
  description: Schema.optionalKey(Schema.String),
  tools: Schema.optionalKey(Schema.Array(ToolSpec)),
  options: Schema.optionalKey(Schema.Array(AgentOption)),
  capabilities: Schema.optionalKey(Capabilities)
}).annotate({ identifier: "AgentInfo" })
export type AgentInfo = typeof AgentInfo.Type

/** The values of an agent's options, by name. */
export const OptionValues = Schema.Record(Schema.String, Schema.String)
export type OptionValues = typeof OptionValues.Type

/** Which agent a session talks to, and how it is set up. */
export const AgentConfig = Schema.Struct({
  name: Schema.NonEmptyString,
  tools: Schema.optionalKey(Schema.Array(ServerToolRef)),
  options: Schema.optionalKey(OptionValues)
}).annotate({ identifier: "AgentConfig" })
export type AgentConfig = typeof AgentConfig.Type

/** Answer of `GET /meta`. */
export const Meta = Schema.Struct({
  version: Schema.Literal(3),
  agents: Schema.Array(AgentInfo)
}).annotate({ identifier: "Meta" })
export type Meta = typeof Meta.Type
