#!/usr/bin/env node
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Cause, Effect, Exit, MutableRef, Runtime } from "effect"
import * as ExitCode from "./cli/ExitCode.ts"
import { program } from "./cli/Program.ts"

const codeOf = (exit: Exit.Exit<unknown, unknown>): number => {
  if (Exit.isSuccess(exit)) return 0
  return Cause.hasInterruptsOnly(exit.cause)
    ? MutableRef.get(ExitCode.onInterrupt)
    : Runtime.getErrorExitCode(Cause.squash(exit.cause))
}

/** Ends the process once all is written, whatever a command that it ran has left open. */
const end = (code: number): void => {
  process.stderr.write("", () => process.stdout.write("", () => process.exit(code)))
}

program.pipe(
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({
    disableErrorReporting: true,
    teardown: (exit) => end(codeOf(exit))
  })
)
