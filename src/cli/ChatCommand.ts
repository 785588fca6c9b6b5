import { NodeTerminal } from "@effect/platform-node"
import { Effect, Layer, Option, type Redacted, Terminal } from "effect"
import { Command, Flag } from "effect/cli"
import { AgentClient } from "../client/AgentClient.ts"
import * as Chat from "./Chat.ts"
import { CommandFailed, fromSessionError, givenUp } from "./CommandFailed.ts"
import * as ChatGrant from "./ChatGrant.ts"
import * as ChatScreen from "./ChatScreen.ts"
import * as ChatSession from "./ChatSession.ts"
import * as ChatTurn from "./ChatTurn.ts"
import * as TypeAhead from "./TypeAhead.ts"
import * as Remote from "./Remote.ts"
import { SessionId } from "../protocol/Session.ts"
import { StreamMode } from "../protocol/Turn.ts"

const several = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.atLeast(0))

const one = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.optional)

const flags = {
  url: Remote.url,
  key: Remote.key,
  agent: one("agent", "NAME", "The agent of a new session; asked for where there are several"),
  options: several("option", "NAME=VALUE", "An option of the agent; may be repeated"),
  secrets: several("secret", "NAME", "A secret option; its value is typed, or a line of the standard input"),
  tools: several("tool", "NAME", "Switch a tool of the server on; its calls need permission"),
  trusted: several("trust", "NAME", "Switch a tool of the server on; its calls run at once"),
  session: Flag.String("session").pipe(
    Flag.withMetavar("ID"),
    Flag.withDescription("Go on with a session; calls that were left open are answered first"),
    Flag.withSchema(SessionId),
    Flag.optional
  ),
  stream: Flag.Literals("stream", StreamMode.literals).pipe(
    Flag.withDescription("How answers come: piece by piece, block by block, or all at once"),
    Flag.withDefault("delta" as const)
  ),
  message: one("message", "TEXT", "Say this and end; the answer alone goes to the standard output"),
  json: Flag.Boolean("json").pipe(
    Flag.withDescription("With --message: print each event as a line of JSON"),
    Flag.withDefault(false)
  ),
  grant: Flag.Literals("grant", ["all", "none", "ask"]).pipe(
    Flag.withDescription("Who decides on calls: ask on a terminal, none elsewhere, where nothing is said"),
    Flag.optional
  ),
  local: Flag.Boolean("local").pipe(
    Flag.withDescription(
      "Lend the agent read_file and run_command on this machine; each call is asked about, unless --grant all"
    ),
    Flag.withDefault(false)
  )
}

interface Asked extends ChatSession.AskedSession {
  readonly url: string
  readonly key: Option.Option<Redacted.Redacted<string>>
  readonly message: Option.Option<string>
  readonly json: boolean
  readonly grant: Option.Option<ChatGrant.Grant>
}

const terminal = Layer.effect(Terminal.Terminal, NodeTerminal.make(TypeAhead.isQuit))

/** The key that is given. Where there is none, but the server wants one and somebody is there, it is asked for. */
const keyFor = Effect.fnUntraced(function* ({ key, url }: Asked, screen: ChatScreen.ChatScreen["Service"]) {
  if (Option.isSome(key) || !screen.canAsk) return key
  const isWanted = yield* Effect.flatMap(AgentClient, ({ sessionPage }) => sessionPage()).pipe(
    Effect.as(false),
    Effect.catchIf(
      (error) => error._tag === "RequestRefused" && error.status === 401,
      () => Effect.succeed(true)
    ),
    Effect.mapError(fromSessionError),
    Effect.provide(Remote.client(url, key))
  )
  return isWanted
    ? Option.some(
        yield* Effect.catchTag(screen.ask(ChatScreen.hidden("The server wants a key")), "QuitError", () =>
          Effect.fail(givenUp())
        )
      )
    : key
})

const chatting = Effect.fnUntraced(function* (asked: Asked) {
  const inScript = Option.isSome(asked.message)
  if (asked.json && !inScript) return yield* new CommandFailed({ message: "--json needs --message" })
  if (
    Option.contains(
      Option.map(asked.message, (text) => text.trim()),
      ""
    )
  ) {
    return yield* new CommandFailed({ message: "--message has nothing to say" })
  }
  if (!inScript && !(yield* ChatScreen.isTerminal(false))) {
    return yield* new CommandFailed({ message: "there is no terminal to chat on; give --message TEXT" })
  }
  const screen = yield* ChatScreen.make(inScript)
  const leaving = yield* ChatTurn.makeLeaving
  const grant = Option.getOrElse(asked.grant, () => (screen.canAsk ? "ask" : "none"))
  const key = yield* keyFor(asked, screen)
  return yield* Effect.gen(function* () {
    const opened = yield* ChatSession.open(asked, ChatGrant.permit(screen, grant, leaving.leave))
    const chat: Chat.Chat = { ...opened, screen, leaving, url: asked.url }
    yield* Option.match(asked.message, {
      onNone: () => Chat.interactive(chat),
      onSome: (message) => Chat.script(chat, message, asked.json)
    })
  }).pipe(Effect.provide(Remote.client(asked.url, key)), Effect.provideService(ChatScreen.ChatScreen, screen))
})

/** The command that chats with an agent of any server. */
export const chat = Command.make("chat", flags, (asked) =>
  Remote.telling(Effect.provide(chatting(asked), terminal))
).pipe(
  Command.withDescription(
    "Chat with an agent of a server. With --message, exits with 0 for end_turn, 2 for calls left open, 3 for max_tokens, 4 for a refusal, 5 for an error in the turn, and 1 for what failed before"
  ),
  Command.withExamples([
    { command: "effect-aap chat http://127.0.0.1:3010 --tool current_time", description: "Chat, and decide on calls" },
    {
      command: 'ANSWER=$(effect-aap chat http://127.0.0.1:3010 --message "What is AAP?")',
      description: "Ask one thing in a script"
    }
  ])
)
