import { Schema } from "effect"

/** What kind of thing an application asked for that its agent does not have. */
export const SetupRejectedCode = Schema.Literals([
  "unknown_agent",
  "unknown_option",
  "invalid_option_value",
  "unknown_tool",
  "tool_name_clash",
  "unsupported_client_tools",
  "unsupported_stream_mode",
  "unsupported_image"
])
export type SetupRejectedCode = typeof SetupRejectedCode.Type

/** A well-formed request that asks for what the agent cannot do. `path` is where it stands in the request body. */
export class SetupRejected extends Schema.TaggedError<SetupRejected>()("SetupRejected", {
  code: SetupRejectedCode,
  path: Schema.String,
  message: Schema.String
}) {}
