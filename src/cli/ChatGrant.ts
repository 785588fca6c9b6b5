import { Effect } from "effect"
import { Prompt } from "effect/cli"
import type { Permission } from "../client/ClientSession.ts"
import type { ToolCall } from "../protocol/Tool.ts"
import type { ChatScreen } from "./ChatScreen.ts"
import { callText } from "./ChatView.ts"

/** Who decides on calls: all are granted, none is, or whoever sits there is asked. */
export type Grant = "all" | "none" | "ask"

/** What an answer to the question decides: `y` and `yes` grant, anything else does not, and is the reason where it is more. */
export const decide = (typed: string): Permission => {
  const answer = typed.trim()
  if (/^y(es)?$/i.test(answer)) return { granted: true }
  return /^(no?)?$/i.test(answer) ? { granted: false } : { granted: false, reason: answer }
}

/** The whole answer is typed and sent off: no single key lets a tool run. */
const ask = (call: ToolCall) =>
  Effect.map(Prompt.String({ message: `Let it run? ${callText(call)} (y, or why not)` }), decide)

/**
 * Decides on a call. Where somebody is to be asked but nobody is there, or leaves instead of an answer, the call is left
 * open by `leave`.
 */
export const permit =
  (screen: ChatScreen["Service"], grant: Grant, leave: Effect.Effect<never>) =>
  (call: ToolCall): Effect.Effect<Permission> => {
    switch (grant) {
      case "all":
        return Effect.succeed({ granted: true })
      case "none":
        return Effect.succeed({ granted: false, reason: "nobody is there to grant it" })
      case "ask":
        return screen.canAsk ? Effect.catchTag(screen.ask(ask(call)), "QuitError", () => leave) : leave
    }
  }
