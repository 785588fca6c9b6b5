import type { SessionEvent } from "../client/ClientSession.ts"
import type { InputContent } from "../protocol/Content.ts"
import type { ToolCall } from "../protocol/Tool.ts"
import type { StopReason } from "../protocol/Turn.ts"
import { cut, jsonLine, onOneLine, printable } from "../client/Printable.ts"

/** A piece of what is shown: of the agent's answer, or of what goes on beside it. */
export interface Piece {
  readonly to: "answer" | "aside"
  readonly text: string
  readonly dim: boolean
}

/** What was shown last, and the calls so far, by id: their names, and which have no result yet. */
export interface View {
  readonly block: "none" | "text" | "thinking"
  readonly atLineStart: boolean
  readonly names: ReadonlyMap<string, string>
  readonly open: ReadonlySet<string>
}

/** Nothing was shown. */
export const empty: View = { block: "none", atLineStart: true, names: new Map(), open: new Set() }

/** The same, where these calls were shown before. */
export const after = (calls: ReadonlyArray<ToolCall>): View => ({
  ...empty,
  names: new Map(calls.map(({ name, toolCallId }) => [toolCallId, name])),
  open: new Set(calls.map(({ toolCallId }) => toolCallId))
})

/** How much of a call's input, or its result, is shown, in characters. */
const shownLength = 200

const line = (text: string, dim = false): Piece => ({ to: "aside", text: `${text}\n`, dim })

const pieceOf = (block: "text" | "thinking", text: string): Piece =>
  block === "text" ? { to: "answer", text, dim: false } : { to: "aside", text, dim: true }

type Shown = readonly [View, ReadonlyArray<Piece>]

/** Ends the line that a block stands on. */
export const end = (view: View): Shown => [
  { ...view, block: "none", atLineStart: true },
  view.block === "none" || view.atLineStart ? [] : [pieceOf(view.block, "\n")]
]

const beside = (view: View, ...lines: ReadonlyArray<Piece>): Shown => {
  const [ended, pieces] = end(view)
  return [ended, [...pieces, ...lines]]
}

const grow = (view: View, block: "text" | "thinking", content: string): Shown => {
  const text = printable(content)
  if (text === "") return [view, []]
  const [before, pieces]: Shown = view.block === block ? [view, []] : end(view)
  return [{ ...before, block, atLineStart: text.endsWith("\n") }, [...pieces, pieceOf(block, text)]]
}

/** A whole block; where its deltas were shown before it, nothing is left to show. */
const whole = (view: View, block: "text" | "thinking", content: string): Shown => {
  const [grown, pieces]: Shown = view.block === block ? [view, []] : grow(view, block, content)
  const [ended, more] = end(grown)
  return [ended, [...pieces, ...more]]
}

const textOf = (content: InputContent): string =>
  typeof content === "string"
    ? content
    : content.map((block) => (block.type === "text" ? block.text : `[image ${block.url}]`)).join("\n")

const closed = (view: View, toolCallId: string): View => ({
  ...view,
  open: new Set([...view.open].filter((id) => id !== toolCallId))
})

/** A call in full, on one line: its input is JSON to the letter, since people decide on it. */
export const callText = ({ input, name }: ToolCall): string => `${onOneLine(name)} ${jsonLine(input)}`

const endings: Record<StopReason, string | undefined> = {
  end_turn: undefined,
  tool_use: undefined,
  max_tokens: "The answer was cut off at the limit of tokens.",
  refusal: "The agent declined to answer.",
  error: "The turn failed on the server."
}

/**
 * How a session's events read on a terminal.
 *
 * 1. No piece has a control character other than newline and tab, whatever the content.
 * 2. The answer's text, and nothing else, goes to `answer`; it is the same however it was cut into deltas.
 * 3. Calls, results and permissions are one line each, cut when long.
 */
export const show = (view: View, event: SessionEvent): Shown => {
  const nameOf = (id: string) => onOneLine(view.names.get(id) ?? id)
  switch (event.event) {
    case "turn_start":
      return end(view)
    case "text_delta":
      return grow(view, "text", event.data.delta)
    case "thinking_delta":
      return grow(view, "thinking", event.data.delta)
    case "text":
      return whole(view, "text", event.data.text)
    case "thinking":
      return whole(view, "thinking", event.data.thinking)
    case "tool_call": {
      const { name, toolCallId } = event.data
      // One that is told again before its result is the same call, whatever else is told of it.
      if (view.open.has(toolCallId)) return [view, []]
      const named: View = {
        ...view,
        names: new Map([...view.names, [toolCallId, name]]),
        open: new Set([...view.open, toolCallId])
      }
      return beside(named, line(`→ ${cut(callText(event.data), shownLength)}`))
    }
    case "tool_result":
    case "client_result": {
      const { content, toolCallId } = event.data
      return beside(
        closed(view, toolCallId),
        line(`← ${nameOf(toolCallId)}: ${cut(onOneLine(textOf(content)), shownLength)}`, true)
      )
    }
    case "permission": {
      const { granted, reason, toolCallId } = event.data
      // A denied call has no other outcome with some servers.
      const decided: View = granted ? view : closed(view, toolCallId)
      const why = reason === undefined ? "" : `: ${cut(onOneLine(reason), shownLength)}`
      return beside(
        decided,
        line(granted ? `granted: ${nameOf(toolCallId)}` : `denied: ${nameOf(toolCallId)}${why}`, true)
      )
    }
    case "turn_stop": {
      const ending = endings[event.data.stopReason]
      return beside(view, ...(ending === undefined ? [] : [line(ending)]))
    }
  }
}

/** A piece as it is written; dimmed where the terminal shows colours. */
export const paint = ({ dim, text }: Piece, canColor: boolean): string =>
  dim && canColor ? `\x1b[2m${text}\x1b[22m` : text
