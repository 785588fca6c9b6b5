import { Console, Context, Effect, Layer, MutableRef } from "effect"
import { Command, Flag } from "effect/cli"
import { ScriptedModelServer } from "../conformance/ScriptedModelServer.ts"
import { CommandFailed } from "./CommandFailed.ts"
import * as ExitCode from "./ExitCode.ts"
import * as Remote from "./Remote.ts"

const host = Flag.String("host").pipe(
  Flag.withDescription("Where to listen; it has no keys, so elsewhere than on loopback anybody may speak to it"),
  Flag.withDefault("127.0.0.1")
)

const port = Flag.Int("port").pipe(
  Flag.withDescription("The port to listen on; 0 for any that is free"),
  Flag.withDefault(4010)
)

/** Where the scripted model listens, until the scope closes. */
export const listen = Effect.fnUntraced(function* (host: string, port: number) {
  if (port < 0 || port > 65_535) {
    return yield* new CommandFailed({
      message: `the scripted model cannot listen on port ${port}; give one from 0 to 65535, 0 for any that is free`
    })
  }
  return yield* Layer.build(ScriptedModelServer.layer({ host, port })).pipe(
    Effect.map((services) => Context.get(services, ScriptedModelServer).url),
    Effect.mapError(({ cause }) => {
      const why = cause instanceof Error ? cause.message : String(cause)
      return new CommandFailed({ message: `the scripted model cannot listen on ${host}:${port}: ${why}` })
    })
  )
})

const serve = Effect.fnUntraced(function* (host: string, port: number) {
  const url = yield* listen(host, port)
  yield* Effect.sync(() => MutableRef.set(ExitCode.onInterrupt, 0))
  yield* Console.log(
    `The scripted model speaks chat completions at ${url}/v1. Point an agent server at it, with any key and any model, and run:\n  effect-aap check URL --model ${url}`
  )
  return yield* Effect.never
}, Effect.scoped)

/** The command that runs the scripted model. */
export const model = Command.make("model", { host, port }, ({ host, port }) => Remote.telling(serve(host, port))).pipe(
  Command.withDescription("Run the scripted model: a server of chat completions that says what a check tells it to")
)
