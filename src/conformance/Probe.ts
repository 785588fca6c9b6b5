import { Effect } from "effect"
import { AgentServer } from "./AgentServer.ts"
import { ModelControl } from "./ModelControl.ts"
import * as Talk from "./Talk.ts"

/** Whether the agent answers a turn without having asked the scripted model: then rules have nothing to go by. */
export const asksAnother = Effect.gen(function* () {
  const { message, tag } = yield* Talk.cue([{ text: ["ok"] }])
  const ask = yield* Talk.ownTurnAsk(yield* Talk.open(), { messages: [message] })
  const { status } = yield* (yield* AgentServer).ask(ask)
  return status === 200 && (yield* (yield* ModelControl).asked(tag)).length === 0
})
