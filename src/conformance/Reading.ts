import { Predicate, Result } from "effect"
import { TurnEvent } from "../protocol/TurnEvent.ts"
import * as RawSse from "./RawSse.ts"

/*
 * Answers of any server are read with the Schemas that our own server writes by, on purpose: each shape of the protocol is
 * told once, and whoever has it otherwise breaks a rule. What the protocol does not have is nothing that a check judges:
 * the Schemas pass over fields, and what stands here over blocks and events.
 */

const eventNames: ReadonlySet<string> = new Set(TurnEvent.members.map(({ fields }) => fields.event.literal))
const blockTypes: ReadonlySet<string> = new Set(["text", "thinking", "tool_use", "image"])

/** What is of no shape of the protocol, but of a tool's or an agent's own. */
const free: ReadonlySet<string> = new Set(["input", "parameters", "options"])

const isForeign = (block: unknown): boolean =>
  Predicate.hasProperty(block, "type") && typeof block.type === "string" && !blockTypes.has(block.type)

/** The JSON of an answer without blocks of other kinds than the protocol's, wherever there is content. */
export const known = (value: unknown, name?: string): unknown => {
  if (Array.isArray(value)) {
    return value.filter((item: unknown) => name !== "content" || !isForeign(item)).map((item: unknown) => known(item))
  }
  if (!Predicate.isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, free.has(name) ? inner : known(inner, name)])
  )
}

/** Whether an event is one of the protocol's, by its name. */
export const isKnown = ({ event }: RawSse.RawEvent): boolean => eventNames.has(event)

const blankLine = /\r\n\r\n|\n\n|\r\r/g

/** Whether there is a piece of text in a stream that has not ended: in an event that is whole. */
export const hasDelta = (text: string): boolean => {
  const end = [...text.matchAll(blankLine)].at(-1)
  if (end === undefined) return false
  const events = RawSse.read(new TextEncoder().encode(text.slice(0, end.index + end[0].length)))
  return Result.getOrElse(events, () => []).some(
    ({ data, event }) => event === "text_delta" && Predicate.hasProperty(data, "delta") && data.delta !== ""
  )
}
