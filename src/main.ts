import { NodeRuntime } from "@effect/platform-node"
import { Cause, Console, Effect, Exit } from "effect"
import { serve } from "./cli/Serve.ts"

serve.pipe(
  Effect.tapError(({ message }) => Console.error(`effect-aap cannot start. ${message}`)),
  NodeRuntime.runMain({
    disableErrorReporting: true,
    teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
  })
)
