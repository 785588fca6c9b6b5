/**
 * The Agent Application Protocol on Effect. A server is `Server.layer` over four ports: `AgentCatalog`, `ToolRegistry`,
 * `SessionStore` and `ChatModel`. `effect-aap/AiSdk` stands apart, since its types need `@ai-sdk/provider`.
 */
export * as Agent from "./agent/Agent.ts"
export { AgentCatalog, type CatalogedAgent } from "./agent/AgentCatalog.ts"
export * as CompactedHistory from "./history/CompactedHistory.ts"
export { Ids } from "./history/Ids.ts"
export * as HistoryEntry from "./history/HistoryEntry.ts"
export * as Transcript from "./history/Transcript.ts"
export {
  ChatModel,
  type FallbackCandidate,
  type FinishReason,
  type ModelEvent,
  type ModelRequest,
  type Usage
} from "./model/ChatModel.ts"
export * as Anthropic from "./model/Anthropic.ts"
export * as Demo from "./model/Demo.ts"
export * as EffectAi from "./model/EffectAi.ts"
export * as Gemini from "./model/Gemini.ts"
export * as InlineImages from "./model/InlineImages.ts"
export * as ModelBreaker from "./model/ModelBreaker.ts"
export { ModelError, ModelErrorReason } from "./model/ModelError.ts"
export * as OpenAiChat from "./model/OpenAiChat.ts"
export * as OpenAiResponses from "./model/OpenAiResponses.ts"
export * as Retry from "./model/Retry.ts"
export * as Scripted from "./model/Scripted.ts"
export * as Protocol from "./protocol/index.ts"
export { ActiveTurns } from "./server/ActiveTurns.ts"
export * as Server from "./server/Server.ts"
export { type KeptKey, KeyNotFound, KeyStore } from "./session/KeyStore.ts"
export { type Limits, TooManySessions, TooManyTurns } from "./session/Limits.ts"
export * as MemorySessionStore from "./session/MemorySessionStore.ts"
export * as RequestLimit from "./session/RequestLimit.ts"
export { Principal, Session } from "./session/Session.ts"
export { SecretBox } from "./session/SecretBox.ts"
export * as SessionExpiry from "./session/SessionExpiry.ts"
export { SessionStore, StoreError } from "./session/SessionStore.ts"
export * as SqliteClient from "./session/SqliteClient.ts"
export * as SqlKeyStore from "./session/SqlKeyStore.ts"
export * as SqlRateLimiterStore from "./session/SqlRateLimiterStore.ts"
export * as SqlSessionStore from "./session/SqlSessionStore.ts"
export { CaptureContent } from "./telemetry/CaptureContent.ts"
export { Confidential, type ConfidentialTexts } from "./telemetry/Confidential.ts"
export * as JsonLog from "./telemetry/JsonLog.ts"
export * as Telemetry from "./telemetry/Telemetry.ts"
export { currentTime } from "./tool/CurrentTime.ts"
export * as ServerTool from "./tool/ServerTool.ts"
export { type RegisteredTool, type ToolCallContext, ToolRegistry } from "./tool/ToolRegistry.ts"
export * as WebFetch from "./tool/WebFetch.ts"
export * as Compaction from "./turn/Compaction.ts"
export { DenialText, type Turn, TurnRunner } from "./turn/TurnRunner.ts"
