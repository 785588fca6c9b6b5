import { Effect, Stdio, Stream } from "effect"
import { CommandFailed } from "./CommandFailed.ts"

/** Writes what a command was asked for. Where nobody takes it, as behind `head`, or there is no room, the command is over. */
export const write = Effect.fnUntraced(function* (text: string) {
  if (text === "") return
  const stdio = yield* Stdio.Stdio
  yield* Effect.mapError(
    Stream.run(Stream.succeed(text), stdio.stdout()),
    ({ cause, message }) =>
      new CommandFailed({
        message: `the standard output takes no more: ${cause instanceof Error ? cause.message : message}`
      })
  )
})
