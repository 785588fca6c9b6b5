import { Result, Schema } from "effect"
import type { HistoryMessage } from "../protocol/Message.ts"
import type { ToolCall } from "../protocol/Tool.ts"

/** A history whose tool calls and results do not pair. `index` is the message that breaks the rule. */
export class PairingBroken extends Schema.TaggedError<PairingBroken>()("PairingBroken", {
  index: Schema.Int,
  message: Schema.String
}) {}

const callsOf = (message: HistoryMessage): ReadonlyArray<ToolCall> =>
  message.role !== "assistant" || typeof message.content === "string"
    ? []
    : message.content.flatMap((block) =>
        block.type === "tool_use" ? [{ toolCallId: block.toolCallId, name: block.name, input: block.input }] : []
      )

/**
 * The calls of a history that have no result yet, in order.
 *
 * 1. Each call id is used by one call, and answered by at most one `tool` message, which stands after it.
 * 2. Calls without a result are calls of the last assistant message, and only results follow it.
 *
 * A history that breaks a rule is refused: every provider would refuse it too.
 */
export const openCalls = (
  history: ReadonlyArray<HistoryMessage>
): Result.Result<ReadonlyArray<ToolCall>, PairingBroken> => {
  const used = new Set<string>()
  let open: ReadonlyArray<ToolCall> = []
  for (const [index, message] of history.entries()) {
    const broken = (text: string) => Result.fail(new PairingBroken({ index, message: text }))
    if (message.role === "tool") {
      if (!open.some((call) => call.toolCallId === message.toolCallId)) {
        return broken(`no open tool call has the id ${message.toolCallId}; a tool message follows its call, once`)
      }
      open = open.filter((call) => call.toolCallId !== message.toolCallId)
      continue
    }
    if (open.length > 0) {
      const ids = open.map((call) => call.toolCallId).join(", ")
      return broken(`the tool calls ${ids} have no result; give a tool message for each before the next message`)
    }
    const calls = callsOf(message)
    for (const call of calls) {
      if (used.has(call.toolCallId)) return broken(`the tool call id ${call.toolCallId} is used twice; ids are unique`)
      used.add(call.toolCallId)
    }
    open = calls
  }
  return Result.succeed(open)
}
