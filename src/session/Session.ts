import { Schema } from "effect"
import { PendingCall } from "../history/PendingCall.ts"
import { AgentConfig } from "../protocol/Agent.ts"
import { SessionId } from "../protocol/Session.ts"
import { ToolSpec } from "../protocol/Tool.ts"

/** Whose a session is: the name of an API key, or `local` where no keys are configured. */
export const Principal = Schema.NonEmptyString.pipe(Schema.brand("Principal"))
export type Principal = typeof Principal.Type

/** A principal's name as operators give it: up to 128 letters of ASCII, digits and `. _ - @`. */
export const PrincipalName = Principal.check(
  Schema.isPattern(/^[\w.@-]{1,128}$/, {
    message: "Expected a name of up to 128 letters, digits and . _ - @, such as alice"
  })
)

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
