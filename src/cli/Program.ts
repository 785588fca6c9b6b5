import { createRequire } from "node:module"
import { Cause, Console, Effect, MutableRef, Schema } from "effect"
import { Command } from "effect/cli"
import { chat } from "./ChatCommand.ts"
import { check } from "./CheckCommand.ts"
import * as ExitCode from "./ExitCode.ts"
import { keys } from "./Keys.ts"
import { model } from "./ModelCommand.ts"
import { serve } from "./Serve.ts"
import { sessions } from "./Sessions.ts"

const { version } = Schema.decodeUnknownSync(Schema.Struct({ version: Schema.String }))(
  createRequire(import.meta.url)("../../package.json")
)

const served = Effect.tapError(
  Effect.andThen(
    Effect.sync(() => MutableRef.set(ExitCode.onInterrupt, 0)),
    serve
  ),
  ({ message }) => Console.error(`effect-aap cannot start. ${message}`)
)

/** The command line: the server where it says nothing more. */
export const program = Command.make("effect-aap", {}, () => served).pipe(
  Command.withDescription("An Agent Application Protocol server. Its settings are variables of the environment."),
  Command.withSubcommands([
    Command.make("serve", {}, () => served).pipe(Command.withDescription("Run the server, as no command at all does")),
    keys,
    chat,
    sessions,
    check,
    model
  ]),
  Command.run({ version }),
  Effect.tapCause((cause) =>
    Cause.hasDies(cause) ? Console.error(`effect-aap failed unexpectedly: ${Cause.pretty(cause)}`) : Effect.void
  )
)
