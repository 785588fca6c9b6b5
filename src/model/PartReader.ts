import { Duration, Result, type Schema, Stream } from "effect"
import type { ModelEvent } from "./ChatModel.ts"
import { ModelError } from "./ModelError.ts"
import type { Options } from "./PartPrompt.ts"
import type { ToolNames } from "./ToolNames.ts"

/** A part of an answer, as the libraries that speak with many providers stream it. */
export type AnswerPart =
  | { readonly type: "text"; readonly delta: string }
  | { readonly type: "reasoning-start"; readonly id: string; readonly options?: Options }
  | { readonly type: "reasoning-delta"; readonly id: string; readonly delta: string; readonly options?: Options }
  | { readonly type: "reasoning-end"; readonly id: string; readonly options?: Options }
  | {
      readonly type: "call"
      readonly id: string
      readonly name: string
      readonly input: string
      readonly options?: Options
    }
  | Extract<ModelEvent, { readonly type: "finish" }>

interface Reasoning {
  readonly text: string
  readonly options: Options | undefined
}

/** Options of the same provider are one, the later of each name. */
const merge = (one: Options | undefined, other: Options | undefined): Options | undefined => {
  if (one === undefined || other === undefined) return one ?? other
  const merged: Record<string, Schema.Json> = { ...one }
  for (const [name, value] of Object.entries(other)) {
    const before = merged[name]
    merged[name] = isObject(before) && isObject(value) ? { ...before, ...value } : value
  }
  return merged
}

const isObject = (value: Schema.Json | undefined): value is Schema.JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Reads the parts of one answer. Reasoning is kept once it has ended: what never finished is told to nobody again. */
export const make = (model: string, names: ToolNames): ((part: AnswerPart) => ReadonlyArray<ModelEvent>) => {
  const open = new Map<string, Reasoning>()
  const grow = (id: string, delta: string, options: Options | undefined): Reasoning => {
    const before = open.get(id)
    const grown = { text: (before?.text ?? "") + delta, options: merge(before?.options, options) }
    open.set(id, grown)
    return grown
  }
  return (part) => {
    switch (part.type) {
      case "text":
        return [{ type: "text_delta", delta: part.delta }]
      case "reasoning-start":
        grow(part.id, "", part.options)
        return []
      case "reasoning-delta":
        grow(part.id, part.delta, part.options)
        return [{ type: "thinking_delta", delta: part.delta }]
      case "reasoning-end": {
        const { options, text: reasoning } = grow(part.id, "", part.options)
        open.delete(part.id)
        if (reasoning === "" && options === undefined) return []
        const data = { model, reasoning, ...(options === undefined ? {} : { options }) }
        return [{ type: "provider_data", data }]
      }
      case "call": {
        const { id, input, name, options } = part
        const data = { model, id, ...(options === undefined ? {} : { options }) }
        return [{ type: "tool_call", name: names.toName(name), arguments: input, data }]
      }
      case "finish":
        return [part]
    }
  }
}

/**
 * Hears the parts of an answer. `toAnswer` gives nothing for parts that say nothing.
 *
 * 1. A part that fails the answer ends it, once what was said before it is heard.
 * 2. Nothing is heard, and nobody is waited for, after its finish.
 * 3. An end without a finish fails it.
 */
export const read = <Part, R>(
  parts: Stream.Stream<Part, ModelError, R>,
  hear: ReturnType<typeof make>,
  toAnswer: (part: Part) => Result.Result<AnswerPart | undefined, ModelError>
): Stream.Stream<ModelEvent, ModelError, R> =>
  Stream.suspend(() => {
    let finished = false
    const answers = parts.pipe(
      Stream.flatMap((part) =>
        Result.match(toAnswer(part), {
          onFailure: (error) => Stream.fail(error),
          onSuccess: (answer) => {
            finished ||= answer?.type === "finish"
            return answer === undefined ? Stream.empty : Stream.fromIterable(hear(answer))
          }
        })
      ),
      Stream.takeUntil(({ type }) => type === "finish")
    )
    return Stream.concat(
      answers,
      Stream.suspend(() => (finished ? Stream.empty : Stream.fail(unfinished)))
    )
  })

/** An answer that was cut off. */
export const unfinished = new ModelError({
  reason: "bad_response",
  message: "the model's answer ended early, without a finish reason",
  retryable: true
})

/** An answer that paused for too long. */
export const silent = (limit: Duration.Duration): ModelError =>
  new ModelError({
    reason: "timeout",
    message: `the model said nothing for ${Duration.format(limit)}`,
    retryable: true
  })
