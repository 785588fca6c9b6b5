import { Context, type Effect } from "effect"
import type { InputContent } from "../protocol/Content.ts"
import type { ToolCall, ToolSpec } from "../protocol/Tool.ts"

/** Where a call comes from. */
export interface ToolCallContext {
  readonly toolCallId: string
  readonly sessionId: string
  /** Whose session it is. */
  readonly principal: string
}

/** A server tool, as the registry lists it. A hidden one is never shown in `/meta`; its agent has it always on. */
export interface RegisteredTool {
  readonly spec: ToolSpec
  readonly hidden: boolean
}

/**
 * The server's tools by name. `run` never fails: a wrong input, a typed failure, a defect, a timeout and an unknown
 * name all become a result that the model can read.
 */
export class ToolRegistry extends Context.Service<ToolRegistry, {
  readonly tools: ReadonlyMap<string, RegisteredTool>
  /** What is wrong with the input of a call, in the sentence that `run` would answer; `undefined` if it fits. */
  readonly check: (call: ToolCall) => Effect.Effect<string | undefined>
  readonly run: (call: ToolCall, context: ToolCallContext) => Effect.Effect<InputContent>
}>()("effect-aap/ToolRegistry") {}
