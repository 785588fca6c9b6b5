import { Schema } from "effect"
import { ToolCall } from "../protocol/Tool.ts"

/**
 * Who answers a call that has no result yet. Fixed when the call is announced (or seeded), whatever later overrides say.
 *
 * - `client`: the application runs it and sends a `tool` message.
 * - `permission`: a server tool that waits for a `tool_permission` message.
 * - `running`: the server runs it in the turn that is under way, or did when that turn's process died.
 */
export const Answerer = Schema.Literals(["client", "permission", "running"])
export type Answerer = typeof Answerer.Type

/**
 * A call without a result. `runnable` says whether a grant may run it: the agent has the tool, and the session had it
 * switched on when the call was announced or seeded.
 */
export const PendingCall = Schema.Struct({
  call: ToolCall,
  answerer: Answerer,
  runnable: Schema.Boolean
})
export type PendingCall = typeof PendingCall.Type

/** The calls that wait for the application. */
export const open = (pending: ReadonlyArray<PendingCall>): ReadonlyArray<PendingCall> =>
  pending.filter((call) => call.answerer !== "running")
