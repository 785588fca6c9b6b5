import { Console, Effect, Stream } from "effect"
import { Argument, Command } from "effect/cli"
import { AgentClient } from "../client/AgentClient.ts"
import { SessionId } from "../protocol/Session.ts"
import { fromSessionError } from "./CommandFailed.ts"
import * as Output from "./Output.ts"
import { onOneLine } from "../client/Printable.ts"
import * as Remote from "./Remote.ts"

const list = Command.make("list", { url: Remote.url, key: Remote.key }, ({ key, url }) =>
  Effect.flatMap(AgentClient, ({ sessions }) =>
    Stream.runForEach(sessions, ({ agent, sessionId }) =>
      Output.write(`${onOneLine(sessionId)}  ${onOneLine(agent.name)}\n`)
    ).pipe(Effect.mapError(fromSessionError))
  ).pipe(Effect.provide(Remote.client(url, key)), Remote.telling)
).pipe(Command.withDescription("Print your sessions and their agents, newest first"))

const remove = Command.make(
  "delete",
  {
    url: Remote.url,
    id: Argument.String("id").pipe(
      Argument.withDescription("The session's id, as `sessions list` prints it"),
      Argument.withSchema(SessionId)
    ),
    key: Remote.key
  },
  ({ id, key, url }) =>
    Effect.gen(function* () {
      const client = yield* AgentClient
      yield* Effect.mapError(client.deleteSession(id), fromSessionError)
      yield* Console.log(`${onOneLine(id)} is deleted.`)
    }).pipe(Effect.provide(Remote.client(url, key)), Remote.telling)
).pipe(Command.withDescription("Delete a session with its history, for good"))

/** The commands over the sessions that one has on a server. */
export const sessions = Command.make("sessions").pipe(
  Command.withDescription("Your sessions on a server"),
  Command.withSubcommands([list, remove])
)
