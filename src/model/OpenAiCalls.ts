import { Option, Schema } from "effect"
import type { ModelEvent } from "./ChatModel.ts"
import type { ToolCallDelta } from "./OpenAiChunk.ts"
import type { ToolNames } from "./ToolNames.ts"

/** A call as far as its fragments have come. */
export interface PartialCall {
  readonly index: number | undefined
  readonly id: string
  readonly name: string
  readonly arguments: string
  readonly extra: Schema.Json | undefined
}

const isWhole = (text: string): boolean =>
  Option.isSome(Schema.decodeOption(Schema.fromJsonString(Schema.Unknown))(text))

const fragmentArguments = (value: Schema.Json | undefined): string =>
  value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value)

const fragmentId = ({ id }: ToolCallDelta): string =>
  typeof id === "string" || typeof id === "number" ? String(id) : ""

/** Which call a fragment goes on with; -1 where it begins one. */
const owner = (calls: ReadonlyArray<PartialCall>, delta: ToolCallDelta): number => {
  const { function: fn, index } = delta
  const id = fragmentId(delta)
  const name = fn?.name ?? ""
  const last = calls.length - 1
  const atIndex = typeof index === "number" ? calls.findLastIndex((call) => call.index === index) : last
  const call = calls[atIndex]
  if (call === undefined) return -1
  if (id !== "") {
    if (call.id === id)
      return name !== "" && isWhole(call.arguments) && fragmentArguments(fn?.arguments) !== "" ? -1 : atIndex
    if (call.id !== "")
      return typeof index === "number" || name !== "" ? -1 : calls.findLastIndex((call) => call.id === id)
    return name !== "" && call.name !== "" ? -1 : atIndex
  }
  if (name === "" || call.name === "") return atIndex
  const isRepeat = call.name === name && !isWhole(call.arguments)
  return isRepeat && typeof index === "number" ? atIndex : -1
}

/**
 * Adds a fragment to the calls. The index tells calls apart where it is given and told apart itself; else a new id does,
 * else a name behind a whole call. What names no call goes on with the last.
 */
export const add = (calls: ReadonlyArray<PartialCall>, delta: ToolCallDelta): ReadonlyArray<PartialCall> => {
  const fragment = {
    index: delta.index ?? undefined,
    id: fragmentId(delta),
    name: delta.function?.name ?? "",
    arguments: fragmentArguments(delta.function?.arguments),
    extra: delta.extra_content ?? undefined
  }
  const at = owner(calls, delta)
  const call = calls[at]
  if (call === undefined) return [...calls, fragment]
  const grown = {
    ...call,
    id: call.id || fragment.id,
    name: call.name || fragment.name,
    arguments: call.arguments + fragment.arguments,
    extra: fragment.extra ?? call.extra
  }
  return calls.map((other, index) => (index === at ? grown : other))
}

/** What goes back with a call: the server's id of it, and what the server added, for the model that made it. */
export const CallData = Schema.Struct({ id: Schema.String, model: Schema.String, extra: Schema.Json })

const toData = ({ extra, id }: PartialCall, model: string): Schema.Json | undefined =>
  extra !== undefined ? { id, model, extra } : id === "" ? undefined : id

/** The calls, whole; those that never got a name are none. */
export const toEvents = (
  calls: ReadonlyArray<PartialCall>,
  names: ToolNames,
  model: string
): ReadonlyArray<ModelEvent> =>
  calls
    .filter((call) => call.name !== "")
    .map((call) => {
      const data = toData(call, model)
      const said = { type: "tool_call", name: names.toName(call.name), arguments: call.arguments } as const
      return data === undefined ? said : { ...said, data }
    })
