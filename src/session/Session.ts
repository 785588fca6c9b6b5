import { Schema } from "effect"
import { PendingCall } from "../history/PendingCall.ts"
import { AgentConfig } from "../protocol/Agent.ts"
import { SessionId } from "../protocol/Session.ts"
import { ToolSpec } from "../protocol/Tool.ts"

/** Whose a session is: the name of an API key, or `local` where no keys are configured. */
export const Principal = Schema.NonEmptyString.pipe(Schema.brand("Principal"))
export type Principal = typeof Principal.Type

/**
 * What the server keeps of a session, its history aside. `agent.options` holds what the application set, secrets
 * included, and nothing else: defaults belong to the agent. `tools` are the application's own.
 */
export const Session = Schema.Struct({
  id: SessionId,
  agent: AgentConfig,
  tools: Schema.Array(ToolSpec),
  pending: Schema.Array(PendingCall)
})
export type Session = typeof Session.Type
