import { Schema } from "effect"
import { OptionValues } from "./Agent.ts"
import { ApplicationMessage, HistoryMessage } from "./Message.ts"
import { ServerToolRef, ToolSpec } from "./Tool.ts"

/** How a turn is answered: deltas over SSE, whole messages over SSE, or one JSON body. */
export const StreamMode = Schema.Literals(["delta", "message", "none"])
export type StreamMode = typeof StreamMode.Type

/** Why a turn ended. */
export const StopReason = Schema.Literals(["end_turn", "tool_use", "max_tokens", "refusal", "error"])
export type StopReason = typeof StopReason.Type

/** What a turn may change of its session. `tools` replaces, `options` merges by key; both persist. */
export const AgentOverrides = Schema.Struct({
  tools: Schema.optionalKey(Schema.Array(ServerToolRef)),
  options: Schema.optionalKey(OptionValues)
}).annotate({ identifier: "AgentOverrides" })
export type AgentOverrides = typeof AgentOverrides.Type

/** Body of `POST /sessions/:id/turns`. `stream` defaults to `none`; `tools` replaces the session's client tools. */
export const TurnRequest = Schema.Struct({
  agent: Schema.optionalKey(AgentOverrides),
  stream: Schema.optionalKey(StreamMode),
  messages: Schema.Array(ApplicationMessage),
  tools: Schema.optionalKey(Schema.Array(ToolSpec))
}).annotate({ identifier: "TurnRequest" })
export type TurnRequest = typeof TurnRequest.Type

/** Answer of a turn in mode `none`: all that the turn added after the application's own messages, in order. */
export const TurnResponse = Schema.Struct({
  stopReason: StopReason,
  messages: Schema.Array(HistoryMessage)
}).annotate({ identifier: "TurnResponse" })
export type TurnResponse = typeof TurnResponse.Type
