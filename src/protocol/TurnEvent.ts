import { Schema } from "effect"
import { ToolCall, ToolResult } from "./Tool.ts"
import { StopReason } from "./Turn.ts"

/** The first event of every turn. */
export const TurnStart = Schema.Struct({ event: Schema.Literal("turn_start"), data: Schema.Struct({}) })

/** A piece of the agent's text. Mode `delta` only. */
export const TextDelta = Schema.Struct({
  event: Schema.Literal("text_delta"),
  data: Schema.Struct({ delta: Schema.String })
})

/** A piece of the model's reasoning. Mode `delta` only. */
export const ThinkingDelta = Schema.Struct({
  event: Schema.Literal("thinking_delta"),
  data: Schema.Struct({ delta: Schema.String })
})

/** A whole block of text. Mode `message` only. */
export const Text = Schema.Struct({ event: Schema.Literal("text"), data: Schema.Struct({ text: Schema.String }) })

/** A whole block of reasoning. Mode `message` only. */
export const Thinking = Schema.Struct({
  event: Schema.Literal("thinking"),
  data: Schema.Struct({ thinking: Schema.String })
})

/** The model calls a tool. */
export const ToolCallEvent = Schema.Struct({ event: Schema.Literal("tool_call"), data: ToolCall })

/** A call was answered on the server: run, denied, or closed. */
export const ToolResultEvent = Schema.Struct({ event: Schema.Literal("tool_result"), data: ToolResult })

/** The last event of every turn. */
export const TurnStop = Schema.Struct({
  event: Schema.Literal("turn_stop"),
  data: Schema.Struct({ stopReason: StopReason })
})

/**
 * The eight events of a turn. A turn makes all of them, in one order; each stream mode shows its part:
 * `turn_start` first, `turn_stop` last, exactly one of each, the rest between.
 */
export const TurnEvent = Schema.Union([
  TurnStart,
  TextDelta,
  ThinkingDelta,
  Text,
  Thinking,
  ToolCallEvent,
  ToolResultEvent,
  TurnStop
]).annotate({ identifier: "TurnEvent" })
export type TurnEvent = typeof TurnEvent.Type

/** The name of an event, as it stands on its `event:` line. */
export type TurnEventName = TurnEvent["event"]
