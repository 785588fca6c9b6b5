import { Schema } from "effect"
import { AssistantContent, InputContent } from "./Content.ts"

/** Instructions to the model; in a history only where the application seeded them. */
export const SystemMessage = Schema.Struct({
  role: Schema.Literal("system"),
  content: Schema.String
}).annotate({ identifier: "SystemMessage" })
export type SystemMessage = typeof SystemMessage.Type

/** What the application's user said. */
export const UserMessage = Schema.Struct({
  role: Schema.Literal("user"),
  content: InputContent
}).annotate({ identifier: "UserMessage" })
export type UserMessage = typeof UserMessage.Type

/** What the agent said in one step. One block of text reads as a plain string. */
export const AssistantMessage = Schema.Struct({
  role: Schema.Literal("assistant"),
  content: AssistantContent
}).annotate({ identifier: "AssistantMessage" })
export type AssistantMessage = typeof AssistantMessage.Type

/** The result of one tool call. */
export const ToolMessage = Schema.Struct({
  role: Schema.Literal("tool"),
  toolCallId: Schema.NonEmptyString,
  content: InputContent
}).annotate({ identifier: "ToolMessage" })
export type ToolMessage = typeof ToolMessage.Type

/** The application's decision on one call of an untrusted server tool. Never stored. */
export const ToolPermissionMessage = Schema.Struct({
  role: Schema.Literal("tool_permission"),
  toolCallId: Schema.NonEmptyString,
  granted: Schema.Boolean,
  reason: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "ToolPermissionMessage" })
export type ToolPermissionMessage = typeof ToolPermissionMessage.Type

/** What a session's history is made of. */
export const HistoryMessage = Schema.Union([SystemMessage, UserMessage, AssistantMessage, ToolMessage]).annotate({
  identifier: "HistoryMessage",
  message: "Expected a message whose role is system, user, assistant or tool"
})
export type HistoryMessage = typeof HistoryMessage.Type

/** What an application may send in a turn. */
export const ApplicationMessage = Schema.Union([UserMessage, ToolMessage, ToolPermissionMessage]).annotate({
  identifier: "ApplicationMessage",
  message: "Expected a message whose role is user, tool or tool_permission"
})
export type ApplicationMessage = typeof ApplicationMessage.Type
