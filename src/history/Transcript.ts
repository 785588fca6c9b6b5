import type { AssistantBlock } from "../protocol/Content.ts"
import type { HistoryMessage } from "../protocol/Message.ts"
import type { TurnEvent } from "../protocol/TurnEvent.ts"

/**
 * A block of text or thinking that may still grow. Its last few pieces are joined some at a time: a string to which one piece
 * after the other is added is kept as a chain of them, several times as large as what it says.
 */
export interface OpenBlock {
  readonly type: "text" | "thinking"
  readonly content: string
  /** What comes after the content. */
  readonly newest: ReadonlyArray<string>
}

/** How many pieces are joined at a time. */
const mostNewest = 16

/** How far the events of a turn have been folded: whole messages, and the assistant message that is being made. */
export interface Transcript {
  readonly messages: ReadonlyArray<HistoryMessage>
  readonly blocks: ReadonlyArray<AssistantBlock>
  readonly open: OpenBlock | undefined
}

/** Nothing has happened. */
export const empty: Transcript = { messages: [], blocks: [], open: undefined }

/** Whether there is nothing to read in a text. */
export const isBlank = (text: string): boolean => text.trim() === ""

/** The open block as a block of its message; `undefined` where there is none, or nothing to read in it. */
export const openBlock = (transcript: Transcript): AssistantBlock | undefined => {
  const open = transcript.open
  if (open === undefined) return undefined
  const content = open.content + open.newest.join("")
  if (isBlank(content)) return undefined
  return open.type === "text" ? { type: "text", text: content } : { type: "thinking", thinking: content }
}

/** The message of an assistant's blocks: none for no blocks, a plain string for one block of text. */
export const assistantMessage = (blocks: ReadonlyArray<AssistantBlock>): HistoryMessage | undefined => {
  const [first] = blocks
  if (first === undefined) return undefined
  return { role: "assistant", content: blocks.length === 1 && first.type === "text" ? first.text : blocks }
}

const closeBlock = (transcript: Transcript): Transcript => {
  if (transcript.open === undefined) return transcript
  const block = openBlock(transcript)
  return {
    ...transcript,
    blocks: block === undefined ? transcript.blocks : [...transcript.blocks, block],
    open: undefined
  }
}

const closeMessage = (transcript: Transcript): Transcript => {
  const closed = closeBlock(transcript)
  const message = assistantMessage(closed.blocks)
  return message === undefined ? closed : { messages: [...closed.messages, message], blocks: [], open: undefined }
}

const grow = ({ content, newest, type }: OpenBlock, text: string): OpenBlock =>
  newest.length < mostNewest
    ? { type, content, newest: [...newest, text] }
    : { type, content: content + newest.join(""), newest: [text] }

const delta = (transcript: Transcript, type: OpenBlock["type"], text: string): Transcript => {
  const grown = transcript.open?.type === type ? transcript : closeBlock(transcript)
  return { ...grown, open: grow(grown.open ?? { type, content: "", newest: [] }, text) }
}

const whole = (transcript: Transcript, type: OpenBlock["type"], text: string): Transcript => {
  const before = transcript.open?.type === type ? transcript : closeBlock(transcript)
  return closeBlock({ ...before, open: { type, content: text, newest: [] } })
}

/**
 * How events become messages: the one fold behind mode `none`, the stored history and the client's transcript.
 *
 * 1. The deltas of a block and the whole block that follows them are one block; either alone gives the same.
 * 2. Blocks keep their order; a block with nothing to read is dropped.
 * 3. A tool result ends the assistant message before it, as does the end of the turn.
 */
export const apply = (transcript: Transcript, event: TurnEvent): Transcript => {
  switch (event.event) {
    case "turn_start":
      return transcript
    case "text_delta":
      return delta(transcript, "text", event.data.delta)
    case "thinking_delta":
      return delta(transcript, "thinking", event.data.delta)
    case "text":
      return whole(transcript, "text", event.data.text)
    case "thinking":
      return whole(transcript, "thinking", event.data.thinking)
    case "tool_call": {
      const closed = closeBlock(transcript)
      return { ...closed, blocks: [...closed.blocks, { type: "tool_use", ...event.data }] }
    }
    case "tool_result": {
      const closed = closeMessage(transcript)
      return { ...closed, messages: [...closed.messages, { role: "tool", ...event.data }] }
    }
    case "turn_stop":
      return closeMessage(transcript)
  }
}

/** All messages so far, what is unfinished included. */
export const messages = (transcript: Transcript): ReadonlyArray<HistoryMessage> => closeMessage(transcript).messages

/** The messages that a list of events tells. */
export const fold = (events: Iterable<TurnEvent>): ReadonlyArray<HistoryMessage> => {
  let transcript = empty
  for (const event of events) transcript = apply(transcript, event)
  return messages(transcript)
}
