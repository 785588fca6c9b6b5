import { NodeHttpClient } from "@effect/platform-node"
import { Config, Console, Effect, Layer, Option, Redacted } from "effect"
import { Argument, Flag } from "effect/cli"
import { AgentClient } from "../client/AgentClient.ts"
import { printable } from "../client/Printable.ts"
import { CommandFailed } from "./CommandFailed.ts"

/** The server that a command speaks to. */
export const url = Argument.String("url").pipe(
  Argument.withDescription("Where the server's endpoints stand, such as http://127.0.0.1:3010")
)

/** The key that it is sent. */
export const key = Flag.Redacted("key").pipe(
  Flag.withDescription("The key to send; better kept in AAP_KEY, where no list of processes shows it"),
  Flag.withFallbackConfig(Config.Redacted("AAP_KEY")),
  Flag.optional
)

/** A client of the server, where its address is one. */
export const client = (url: string, key: Option.Option<Redacted.Redacted<string>>) =>
  AgentClient.layer({
    baseUrl: url,
    ...Option.match(
      Option.filter(key, (key) => Redacted.value(key).trim() !== ""),
      { onNone: () => ({}), onSome: (apiKey) => ({ apiKey }) }
    )
  }).pipe(Layer.provide(NodeHttpClient.layerNodeHttp))

/** Tells in one line why a command failed. */
export const telling = <A, E, R>(
  effect: Effect.Effect<A, E | CommandFailed, R>
): Effect.Effect<A, E | CommandFailed, R> =>
  Effect.tapError(effect, (error) =>
    error instanceof CommandFailed ? Console.error(`effect-aap: ${printable(error.message)}`) : Effect.void
  )
