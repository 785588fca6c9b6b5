import { Result, Schema } from "effect"
import { type HistoryEntry, make } from "../history/HistoryEntry.ts"
import type { PendingCall } from "../history/PendingCall.ts"
import * as Slot from "../history/Slot.ts"
import * as ToolOutcome from "../history/ToolOutcome.ts"
import { isBlank } from "../history/Transcript.ts"
import type { ApplicationMessage, ToolMessage, ToolPermissionMessage, UserMessage } from "../protocol/Message.ts"

/** Calls are open that the submission does not answer. */
export class PendingToolCalls extends Schema.TaggedError<PendingToolCalls>()("PendingToolCalls", {
  ids: Schema.Array(Schema.String)
}) {
  override get message() {
    return `answer all open tool calls together; these have no answer: ${this.ids.join(", ")}`
  }
}

/** What is wrong with a message of a submission. */
export const InvalidMessageCode = Schema.Literals([
  "unknown_tool_call",
  "repeated_answer",
  "wrong_answer",
  "empty_turn"
])

/** A message that answers nothing, or says nothing. `path` is where it stands in the request body. */
export class InvalidMessage extends Schema.TaggedError<InvalidMessage>()("InvalidMessage", {
  code: InvalidMessageCode,
  path: Schema.String,
  message: Schema.String
}) {}

/**
 * A submission that fits the open calls. `append` is what goes into the history: a place for each open call, in the
 * order of the calls, then what the user said. `server` are those of the places whose calls are the server's; each is
 * told to the client by a `tool_result`.
 */
export interface Submission {
  readonly append: ReadonlyArray<Slot.Slot>
  readonly server: ReadonlyArray<Slot.Slot>
}

type Answer = ToolMessage | ToolPermissionMessage

const invalid = (code: InvalidMessage["code"], path: string, message: string) =>
  Result.fail(new InvalidMessage({ code, path, message }))

const saysNothing = ({ content }: UserMessage): boolean =>
  typeof content === "string"
    ? isBlank(content)
    : content.every((block) => block.type === "text" && isBlank(block.text))

const collectAnswers = (
  open: ReadonlyArray<PendingCall>,
  messages: ReadonlyArray<ApplicationMessage>
): Result.Result<ReadonlyMap<string, Answer>, InvalidMessage> => {
  const answers = new Map<string, Answer>()
  for (const [index, message] of messages.entries()) {
    if (message.role === "user") {
      if (!saysNothing(message)) continue
      return invalid("empty_turn", `messages[${index}].content`, "a user message needs some text or an image")
    }
    const id = message.toolCallId
    const path = `messages[${index}].toolCallId`
    const pending = open.find(({ call }) => call.toolCallId === id)
    if (pending === undefined) {
      const ids = open.map(({ call }) => call.toolCallId).join(", ") || "none"
      return invalid("unknown_tool_call", path, `no open tool call has the id ${id}; open are: ${ids}`)
    }
    if (answers.has(id)) return invalid("repeated_answer", path, `the call ${id} is answered twice; answer it once`)
    if (pending.answerer === "client" && message.role !== "tool") {
      return invalid(
        "wrong_answer",
        path,
        `${id} calls the application's tool ${pending.call.name}; send a tool message`
      )
    }
    if (pending.answerer === "permission" && message.role !== "tool_permission") {
      const text = `${id} calls the server's tool ${pending.call.name}; send a tool_permission message`
      return invalid("wrong_answer", path, text)
    }
    answers.set(id, message)
  }
  return Result.succeed(answers)
}

const result = (toolCallId: string, content: string): HistoryEntry => make({ role: "tool", toolCallId, content })

const toSlot = (pending: PendingCall, answer: Answer, denial: ToolOutcome.DenialText): Slot.Slot => {
  const { name, toolCallId } = pending.call
  if (answer.role === "tool") return Slot.entry(make(answer))
  if (!answer.granted) return Slot.entry(result(toolCallId, denial(answer.reason)))
  if (pending.runnable) return Slot.running({ ...pending, answerer: "running" })
  return Slot.entry(result(toolCallId, `Tool call not run: the tool ${name} is not switched on in this session.`))
}

/**
 * Checks what the application sends against the session's open calls.
 *
 * 1. Every open call is answered, once: a `tool` message for a client call, a `tool_permission` for a server call.
 * 2. Nothing else is answered.
 * 3. Only a granted call that was runnable when it was announced is run.
 * 4. Answers stand before what the user says, in the order of their calls, however the application ordered them.
 * 5. A submission says something: an answer, or a user message with text or an image.
 */
export const check = (
  open: ReadonlyArray<PendingCall>,
  messages: ReadonlyArray<ApplicationMessage>,
  denial: ToolOutcome.DenialText = ToolOutcome.denialText
): Result.Result<Submission, PendingToolCalls | InvalidMessage> =>
  Result.gen(function* () {
    if (messages.length === 0 && open.length === 0) {
      return yield* invalid("empty_turn", "messages", "a turn needs a user message, or answers to open tool calls")
    }
    const answers = yield* collectAnswers(open, messages)
    const missing = open.filter(({ call }) => !answers.has(call.toolCallId))
    if (missing.length > 0) {
      return yield* Result.fail(new PendingToolCalls({ ids: missing.map(({ call }) => call.toolCallId) }))
    }
    const slots = open.flatMap((pending) => {
      const answer = answers.get(pending.call.toolCallId)
      return answer === undefined ? [] : [{ answer, slot: toSlot(pending, answer, denial) }]
    })
    const said = messages.flatMap((message) => (message.role === "user" ? [Slot.entry(make(message))] : []))
    return {
      append: [...slots.map(({ slot }) => slot), ...said],
      server: slots.flatMap(({ answer, slot }) => (answer.role === "tool_permission" ? [slot] : []))
    }
  })
