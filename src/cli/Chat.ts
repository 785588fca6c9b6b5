import { Effect, Redacted, Ref, Result, Stream } from "effect"
import { Prompt } from "effect/cli"
import { explain, fromSessionError } from "./CommandFailed.ts"
import * as ExitCode from "./ExitCode.ts"
import * as ChatScreen from "./ChatScreen.ts"
import type { OpenSession } from "./ChatSession.ts"
import * as ChatSettings from "./ChatSettings.ts"
import * as ChatTurn from "./ChatTurn.ts"
import { onOneLine } from "../client/Printable.ts"

/** A chat that can begin. */
export interface Chat extends OpenSession {
  readonly screen: ChatScreen.ChatScreen["Service"]
  readonly leaving: ChatTurn.Leaving
  /** The address of the server, as it was given. */
  readonly url: string
}

/** A word as a shell reads it: the server names its sessions as it likes. */
const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${onOneLine(word).replaceAll("'", "'\\''")}'`

const resumeText = ({ session, url }: Chat): string => `effect-aap chat ${quoted(url)} --session ${quoted(session.id)}`

/** Says one thing, and ends as its last turn did. */
export const script = Effect.fnUntraced(function* (chat: Chat, message: string, json: boolean) {
  const { screen, session } = chat
  yield* screen.note(`session ${onOneLine(session.id)}`)
  const said = session.say(message, ChatSettings.toTell(chat.settings))
  const end = yield* ChatTurn.run({ ...chat, json, stop: Effect.never }, said).pipe(Effect.mapError(fromSessionError))
  if (end === "left") yield* screen.note(`Calls wait for permission. Decide on them with: ${resumeText(chat)}`)
  const code = ExitCode.ofStop(end === "left" ? "tool_use" : end)
  if (code !== 0) return yield* new ExitCode.ChatStopped({ code })
})

/** Chats on a terminal until somebody quits. A turn that fails, or is stopped, leaves the session to go on with. */
export const interactive = Effect.fnUntraced(function* (chat: Chat) {
  const { screen, session } = chat
  const settings = yield* Ref.make(chat.settings)
  const keyboard = yield* screen.listen
  const turn = (updates: ReturnType<typeof session.say>) =>
    ChatTurn.run({ ...chat, json: false, stop: keyboard.quit }, updates).pipe(
      Effect.flatMap((end) =>
        end === "left"
          ? screen.note(`Stopped. The session is kept; type on, or go on later with: ${resumeText(chat)}`)
          : Effect.void
      ),
      Effect.catchIf(
        (error) => error._tag !== "CommandFailed",
        (error) => screen.note(explain(error))
      )
    )
  yield* screen.note(
    `${onOneLine(chat.settings.agent.name)} at ${onOneLine(chat.url)}, session ${onOneLine(session.id)}. /help tells what can be typed.`
  )
  /** A change is told with the first turn that begins. What was said and came to no turn stands in the next line. */
  const say = Effect.fnUntraced(function* (text: string) {
    const isSaid = yield* Ref.make(false)
    const updates = Stream.tap(
      session.say(text, ChatSettings.toTell(yield* Ref.get(settings))),
      ({ event, messages }) =>
        event.event === "turn_start"
          ? Effect.andThen(
              Ref.update(settings, ChatSettings.told),
              // Turns with answers to calls come before it, and behind it.
              Ref.update(isSaid, (isSaid) => isSaid || messages().at(-1)?.role === "user")
            )
          : Effect.void
    )
    yield* turn(updates)
    if (!(yield* Ref.get(isSaid))) yield* keyboard.giveBack(text)
  })
  const setTo = (next: ChatSettings.Settings) =>
    Effect.andThen(Ref.set(settings, next), screen.note("Set, from the next message on."))
  const secret = (name: string) =>
    screen.ask(ChatScreen.hidden(onOneLine(name))).pipe(
      Effect.flatMap((value) =>
        Effect.flatMap(Ref.get(settings), (now) => setTo(ChatSettings.withOption(now, name, Redacted.value(value))))
      ),
      Effect.catchTag("QuitError", () => screen.note("Nothing is changed."))
    )
  yield* turn(session.goOn)
  while (true) {
    const line = Effect.flatMap(keyboard.typedAhead, (typed) =>
      Prompt.String({ message: "you", default: typed.trim() })
    )
    const typed = yield* Effect.catchTag(screen.ask(line), "QuitError", () => Effect.succeed("/quit"))
    const text = typed.trim()
    if (text === "") continue
    const command = ChatSettings.parse(yield* Ref.get(settings), text)
    if (command === undefined) yield* say(text)
    else if (Result.isFailure(command)) yield* screen.note(command.failure)
    else {
      const { success } = command
      if (success.asks === "quit") break
      if (success.asks === "help") yield* screen.note(ChatSettings.help)
      if (success.asks === "settings") yield* screen.note(ChatSettings.describe(yield* Ref.get(settings)))
      if (success.asks === "secret") yield* secret(success.name)
      if (success.asks === "change") yield* setTo(success.settings)
    }
  }
  yield* screen.note(`Go on with: ${resumeText(chat)}`)
}, Effect.scoped)
