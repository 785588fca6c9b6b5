#!/usr/bin/env node
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Effect } from "effect"
import * as ExitCode from "./cli/ExitCode.ts"
import { program } from "./cli/Program.ts"

program.pipe(
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({
    disableErrorReporting: true,
    teardown: ExitCode.end
  })
)
