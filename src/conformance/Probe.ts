import { Effect } from "effect"
import { AgentServer } from "./AgentServer.ts"
import * as Cue from "./Cue.ts"
import { ModelControl } from "./ModelControl.ts"
import * as Sessions from "./Sessions.ts"
import * as Turns from "./Turns.ts"

/** Whether the agent answers a turn without having asked the scripted model: then rules have nothing to go by. */
export const asksAnother = Effect.gen(function* () {
  const { message, tag } = yield* Cue.make([{ text: ["ok"] }])
  const ask = yield* Turns.ownAsk(yield* Sessions.open(), { messages: [message] })
  const { status } = yield* (yield* AgentServer).ask(ask)
  return status === 200 && (yield* (yield* ModelControl).asked(tag)).length === 0
})
