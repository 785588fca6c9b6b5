import { Cause, Data, Option } from "effect"
import { ModelError } from "../model/ModelError.ts"
import type { StopReason } from "../protocol/Turn.ts"
import type { LeaseLost, StoreError } from "../session/SessionStore.ts"

/** The agent went on calling tools for as many steps as it may take. */
export class StepLimitReached extends Data.TaggedError("StepLimitReached")<{ readonly limit: number }> {
  override get message() {
    return `the turn took all of its ${this.limit} model steps`
  }
}

/** What can end a turn early; its client is told by a stop reason alone. */
export type TurnFailure = ModelError | StepLimitReached | LeaseLost | StoreError

/** The stop reason that tells a failure. */
export const stopReason = (cause: Cause.Cause<unknown>): StopReason => {
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (!(error instanceof ModelError)) return "error"
  return error.reason === "context_overflow" ? "max_tokens" : error.reason === "refused" ? "refusal" : "error"
}

/** What a failure is called in spans and metrics. */
export const errorType = (error: TurnFailure): string => {
  switch (error._tag) {
    case "ModelError":
      return error.reason
    case "StepLimitReached":
      return "step_limit"
    case "LeaseLost":
      return "lease_lost"
    case "StoreError":
      return "store_unavailable"
  }
}
