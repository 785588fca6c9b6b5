import { Result, Schema } from "effect"
import type { CatalogedAgent } from "../agent/AgentCatalog.ts"
import * as CapabilityCheck from "../agent/CapabilityCheck.ts"
import * as SessionSetup from "../agent/SessionSetup.ts"
import type { SetupRejected } from "../agent/SetupRejected.ts"
import { type HistoryEntry, make as entry } from "../history/HistoryEntry.ts"
import { openCalls } from "../history/Pairing.ts"
import type { PendingCall } from "../history/PendingCall.ts"
import type { CreateSession, SessionId } from "../protocol/Session.ts"
import type { ToolCall } from "../protocol/Tool.ts"
import type { Session } from "../session/Session.ts"

/** A seeded history that no model would accept. `path` is where it stands in the request body. */
export class InvalidHistory extends Schema.TaggedError<InvalidHistory>()("InvalidHistory", {
  path: Schema.String,
  message: Schema.String
}) {}

/** A session to be stored. */
export interface NewSession {
  readonly session: Session
  readonly history: ReadonlyArray<HistoryEntry>
}

/** Who answers a call that a seeded history leaves open: the server if the call names one of its tools. */
const pending = (agent: CatalogedAgent, setup: SessionSetup.SessionSetup, call: ToolCall): PendingCall => {
  const ours = !setup.clientTools.some((tool) => tool.name === call.name)
  const isServerTool = ours && (agent.tools.has(call.name) || agent.hidden.has(call.name))
  const runnable = isServerTool && setup.serverTools.some((ref) => ref.name === call.name)
  return { call, answerer: isServerTool ? "permission" : "client", runnable }
}

/**
 * The session that a request asks for.
 *
 * 1. Its setup is one that the agent takes.
 * 2. The calls of its seeded history pair with their results; those left open at the end wait for the application.
 * 3. A grant can later run an open call only if its tool is switched on here.
 */
export const make = (
  agent: CatalogedAgent,
  id: SessionId,
  request: CreateSession
): Result.Result<NewSession, SetupRejected | InvalidHistory> =>
  Result.gen(function* () {
    const setup = yield* SessionSetup.change(agent, SessionSetup.empty, {
      serverTools: request.agent.tools,
      options: request.agent.options,
      clientTools: request.tools
    })
    const messages = request.messages ?? []
    yield* CapabilityCheck.images(agent.agent.capabilities, messages)
    const open = yield* Result.mapError(
      openCalls(messages),
      ({ index, message }) => new InvalidHistory({ path: `messages[${index}]`, message })
    )
    return {
      session: {
        id,
        agent: { name: agent.agent.name, tools: setup.serverTools, options: setup.options },
        tools: setup.clientTools,
        pending: open.map((call) => pending(agent, setup, call))
      },
      history: messages.map(entry)
    }
  })
