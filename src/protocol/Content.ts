import { Schema } from "effect"

/** A JSON object: what a tool call carries as its input. */
export const JsonObject = Schema.JsonObject.annotate({ identifier: "JsonObject" })
export type JsonObject = typeof JsonObject.Type

/** Text that somebody reads. */
export const TextBlock = Schema.Struct({
  type: Schema.Literal("text"),
  text: Schema.String
}).annotate({ identifier: "TextBlock" })
export type TextBlock = typeof TextBlock.Type

/** The model's reasoning, as far as its provider shows it. */
export const ThinkingBlock = Schema.Struct({
  type: Schema.Literal("thinking"),
  thinking: Schema.String
}).annotate({ identifier: "ThinkingBlock" })
export type ThinkingBlock = typeof ThinkingBlock.Type

/** A tool call as it stands in the assistant message that made it. */
export const ToolUseBlock = Schema.Struct({
  type: Schema.Literal("tool_use"),
  toolCallId: Schema.NonEmptyString,
  name: Schema.NonEmptyString,
  input: JsonObject
}).annotate({ identifier: "ToolUseBlock" })
export type ToolUseBlock = typeof ToolUseBlock.Type

/** Where an image may stand: an `https:` address, or a `data:` URL with a base64 body. */
export const ImageUrl = Schema.String.check(
  Schema.isPattern(/^(?:https:\/\/[^\s/]\S*|data:image\/[\w.+-]+;base64,[A-Za-z0-9+/]+={0,2})$/, {
    expected: "an https:// address or a data:image/…;base64,… URL"
  }),
  Schema.makeFilter((url) => URL.canParse(url), { expected: "an https:// address or a data:image/…;base64,… URL" })
)

/** An image, by address or inline. */
export const ImageBlock = Schema.Struct({
  type: Schema.Literal("image"),
  url: ImageUrl
}).annotate({ identifier: "ImageBlock" })
export type ImageBlock = typeof ImageBlock.Type

/** What an application may say to an agent, and a tool to a model: a string, or blocks of text and images. */
export const InputContent = Schema.Union([
  Schema.String,
  Schema.Array(
    Schema.Union([TextBlock, ImageBlock]).annotate({ message: "Expected a block whose type is text or image" })
  )
])
export type InputContent = typeof InputContent.Type

/** What an agent says: a string, or its blocks in the order in which the model made them. */
export const AssistantBlock = Schema.Union([TextBlock, ThinkingBlock, ToolUseBlock])
export type AssistantBlock = typeof AssistantBlock.Type

/** The content of an assistant message; an image is accepted in seeded history. */
export const AssistantContent = Schema.Union([
  Schema.String,
  Schema.Array(Schema.Union([TextBlock, ThinkingBlock, ToolUseBlock, ImageBlock]))
])
export type AssistantContent = typeof AssistantContent.Type

/** Any block of the protocol. */
export const ContentBlock = Schema.Union([TextBlock, ThinkingBlock, ToolUseBlock, ImageBlock])
export type ContentBlock = typeof ContentBlock.Type
