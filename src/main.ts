#!/usr/bin/env node
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Cause, Effect, Exit, MutableRef, Runtime } from "effect"
import * as ExitCode from "./cli/ExitCode.ts"
import { program } from "./cli/Program.ts"

program.pipe(
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({
    disableErrorReporting: true,
    teardown: (exit, onExit) =>
      onExit(
        Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
          ? MutableRef.get(ExitCode.onInterrupt)
          : Exit.isSuccess(exit)
            ? 0
            : Runtime.getErrorExitCode(Cause.squash(exit.cause))
      )
  })
)
