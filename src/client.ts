/**
 * The application's side of the Agent Application Protocol. `connect` is for programs that do not use Effect; `AgentClient`
 * and `ClientSession` are for those that do. Nothing of it needs Node.
 */
export { AgentClient, type AgentClientOptions, type SendOptions, type TurnInput } from "./client/AgentClient.ts"
export {
  type AgentError,
  ConnectionFailed,
  type ConnectionStage,
  InvalidAnswer,
  InvalidRequest,
  RequestRefused,
  SessionBusy,
  type SessionError,
  TooManyTurns,
  TurnUnfinished
} from "./client/AgentError.ts"
export * as ClientSession from "./client/ClientSession.ts"
export * as ClientTool from "./client/ClientTool.ts"
export {
  type Abortable,
  connect,
  type ConnectOptions,
  type Connection,
  type Session,
  type SessionOptions,
  type Tool
} from "./client/Connection.ts"
export * as Transcript from "./history/Transcript.ts"
export * as Protocol from "./protocol/index.ts"
