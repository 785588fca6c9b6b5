import { Schema } from "effect"
import { AgentConfig } from "./Agent.ts"
import { HistoryMessage } from "./Message.ts"
import { ToolSpec } from "./Tool.ts"

/** The server's name for a session. It stands in paths, where `.` and `..` mean something else, and which are UTF-8. */
export const SessionId = Schema.NonEmptyString.check(Schema.isPattern(/^(?!\.{1,2}$)\P{Cs}*$/su)).pipe(
  Schema.brand("SessionId")
)
export type SessionId = typeof SessionId.Type

/** A session as the application sees it; the values of secret options read `***`. */
export const SessionInfo = Schema.Struct({
  sessionId: SessionId,
  agent: AgentConfig,
  tools: Schema.optionalKey(Schema.Array(ToolSpec))
}).annotate({ identifier: "SessionInfo" })
export type SessionInfo = typeof SessionInfo.Type

/** Body of `POST /sessions`. `messages` seed the history; the agent does not run. */
export const CreateSession = Schema.Struct({
  agent: AgentConfig,
  messages: Schema.optionalKey(Schema.Array(HistoryMessage)),
  tools: Schema.optionalKey(Schema.Array(ToolSpec))
}).annotate({ identifier: "CreateSession" })
export type CreateSession = typeof CreateSession.Type

/** Answer of `POST /sessions`. */
export const SessionCreated = Schema.Struct({ sessionId: SessionId }).annotate({ identifier: "SessionCreated" })
export type SessionCreated = typeof SessionCreated.Type

/** One page of `GET /sessions`, newest first. `next` is absent on the last page; pass it as `after`. */
export const SessionPage = Schema.Struct({
  sessions: Schema.Array(SessionInfo),
  next: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "SessionPage" })
export type SessionPage = typeof SessionPage.Type

/** Which history is asked for: all that was said, or what the model is fed. */
export const HistoryType = Schema.Literals(["full", "compacted"])
export type HistoryType = typeof HistoryType.Type

/** Answer of `GET /sessions/:id/history`. */
export const History = Schema.Struct({
  history: Schema.Union([
    Schema.Struct({ full: Schema.Array(HistoryMessage) }),
    Schema.Struct({ compacted: Schema.Array(HistoryMessage) })
  ])
}).annotate({ identifier: "History" })
export type History = typeof History.Type
