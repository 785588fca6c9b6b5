import { Effect } from "effect"
import { Prompt } from "effect/cli"
import type { Permission } from "../client/ClientSession.ts"
import type { ToolCall } from "../protocol/Tool.ts"
import type { ChatScreen } from "./ChatScreen.ts"
import { callText } from "./ChatView.ts"

/** Who decides on calls: all are granted, none is, or whoever sits there is asked. */
export type Grant = "all" | "none" | "ask"

const ask = (call: ToolCall) =>
  Effect.gen(function* () {
    const isGranted = yield* Prompt.Confirm({ message: `Let it run? ${callText(call)}` })
    if (isGranted) return { granted: true }
    const reason = (yield* Prompt.String({ message: "Why not? The agent reads it; it may be left empty" })).trim()
    return reason === "" ? { granted: false } : { granted: false, reason }
  })

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
