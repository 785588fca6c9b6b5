import { Effect } from "effect"
import type { ToolCall } from "../protocol/Tool.ts"

/** A decision on a call of a tool that the server runs. */
export interface Permission {
  readonly granted: boolean
  /** Why not; the model reads it. */
  readonly reason?: string
}

/** Decides on a call of a tool that the server runs. */
export type Permit<R = never> = (call: ToolCall) => Effect.Effect<Permission, never, R>

/** Grants every call. */
export const grantAll: Permit = (_call) => Effect.succeed({ granted: true })

/** Denies every call, and says that nobody was there to ask. */
export const denyAll: Permit = (_call) =>
  Effect.succeed({ granted: false, reason: "this application asks nobody for permission" })
