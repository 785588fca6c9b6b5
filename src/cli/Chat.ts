import { Effect, Terminal } from "effect"
import { Prompt } from "effect/cli"
import { ChatStopped, exitCode, explain, interruptedCode, toChatFailed } from "./ChatError.ts"
import type { ChatScreen } from "./ChatScreen.ts"
import type { OpenSession } from "./ChatSession.ts"
import * as ChatTurn from "./ChatTurn.ts"
import { onOneLine, printable } from "./Printable.ts"

/** A chat that can begin. */
export interface Chat extends OpenSession {
  readonly screen: ChatScreen["Service"]
  readonly leaving: ChatTurn.Leaving
  /** The address of the server, as it was given. */
  readonly url: string
}

const resumeText = ({ session, url }: Chat): string =>
  `effect-aap chat ${onOneLine(url)} --session ${onOneLine(session.id)}`

/** Says one thing, and ends as its last turn did. */
export const script = Effect.fnUntraced(function* (chat: Chat, message: string, json: boolean) {
  const { screen, session } = chat
  yield* screen.note(`session ${onOneLine(session.id)}`)
  const end = yield* ChatTurn.run({ ...chat, json, stop: Effect.never }, session.say(message)).pipe(
    Effect.mapError(toChatFailed),
    Effect.onInterrupt(() => new ChatStopped({ code: interruptedCode }))
  )
  if (end === "left") yield* screen.note(`Calls wait for permission. Decide on them with: ${resumeText(chat)}`)
  const code = exitCode(end === "left" ? "tool_use" : end)
  if (code !== 0) return yield* new ChatStopped({ code })
})

const help = `/help  what can be typed
/quit  end the chat; the session stays on the server
Ctrl-C ends a running turn, and at the prompt the chat.`

/** Chats on a terminal until somebody quits. A turn that fails, or is stopped, leaves the session to go on with. */
export const interactive = Effect.fnUntraced(function* (chat: Chat) {
  const { agent, screen, session } = chat
  /** The keys are listened to all the time, so that Ctrl-C is never a signal. */
  yield* (yield* Terminal.Terminal).readInput
  const turn = (updates: ReturnType<typeof session.say>) =>
    ChatTurn.run({ ...chat, json: false, stop: screen.quit }, updates).pipe(
      Effect.flatMap((end) =>
        end === "left"
          ? screen.note(`Stopped. The session is kept; type on, or go on later with: ${resumeText(chat)}`)
          : Effect.void
      ),
      Effect.catch((error) => screen.note(explain(error)))
    )
  yield* screen.note(
    `${onOneLine(agent)} at ${onOneLine(chat.url)}, session ${onOneLine(session.id)}. /help tells what can be typed.`
  )
  yield* turn(session.goOn)
  while (true) {
    const typed = yield* Effect.catchTag(screen.ask(Prompt.String({ message: "you" })), "QuitError", () =>
      Effect.succeed("/quit")
    )
    const text = typed.trim()
    if (text === "/quit") break
    if (text === "/help") yield* screen.note(help)
    else if (/^\/\w+$/.test(text)) yield* screen.note(`There is no ${printable(text)}; /help tells what can be typed.`)
    else if (text !== "") yield* turn(session.say(text))
  }
  yield* screen.note(`Go on with: ${resumeText(chat)}`)
}, Effect.scoped)
