import { NodeHttpClient } from "@effect/platform-node"
import { Config, Console, Effect, Layer, Option, Redacted } from "effect"
import { Argument, Flag } from "effect/cli"
import { AgentClient } from "../client/AgentClient.ts"
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
  Layer.unwrap(
    Effect.gen(function* () {
      const parsed = URL.parse(url)
      if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
        return yield* new CommandFailed({ message: "that is no address; give one such as http://127.0.0.1:3010" })
      }
      const apiKey = Option.getOrUndefined(Option.filter(key, (key) => Redacted.value(key).trim() !== ""))
      return AgentClient.layer({ baseUrl: url, ...(apiKey === undefined ? {} : { apiKey }) })
    })
  ).pipe(Layer.provide(NodeHttpClient.layerNodeHttp))

/** Tells in one line why a command failed. */
export const telling = <A, E, R>(
  effect: Effect.Effect<A, E | CommandFailed, R>
): Effect.Effect<A, E | CommandFailed, R> =>
  Effect.tapError(effect, (error) =>
    error instanceof CommandFailed ? Console.error(`effect-aap: ${error.message}`) : Effect.void
  )
