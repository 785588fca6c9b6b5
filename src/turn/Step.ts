import { Result, type Schema } from "effect"
import type { HistoryEntry, ProviderData } from "../history/HistoryEntry.ts"
import type { PendingCall } from "../history/PendingCall.ts"
import * as Transcript from "../history/Transcript.ts"
import type { ModelEvent } from "../model/ChatModel.ts"
import type { StopReason } from "../protocol/Turn.ts"
import type { TurnEvent } from "../protocol/TurnEvent.ts"
import * as ToolArguments from "./ToolArguments.ts"
import type { Toolbox } from "./Toolbox.ts"

/** A call that was announced. One with a `rejection` is never run: the sentence is its result. */
export interface AnnouncedCall extends PendingCall {
  readonly rejection?: string
}

/** The call, answered by a sentence instead of being run. */
export const reject = ({ call }: Pick<AnnouncedCall, "call">, rejection: string): AnnouncedCall => ({
  call,
  answerer: "running",
  runnable: false,
  rejection
})

/** What one model step has said so far. */
export interface Step {
  readonly transcript: Transcript.Transcript
  /** The provider is absent where it is the model's own. */
  readonly providerData: ReadonlyArray<Omit<ProviderData, "provider"> & Partial<Pick<ProviderData, "provider">>>
  readonly calls: ReadonlyArray<AnnouncedCall>
  readonly finish?: Omit<Extract<ModelEvent, { readonly type: "finish" }>, "type">
}

/** A step in which the model has said nothing yet. */
export const initial: Step = { transcript: Transcript.empty, providerData: [], calls: [] }

/** The step with its open block ended, and the whole-block event that says so. A blank block says nothing. */
export const flush = (step: Step): readonly [Step, ReadonlyArray<TurnEvent>] => {
  const block = Transcript.openBlock(step.transcript)
  const event: TurnEvent | undefined =
    block?.type === "text"
      ? { event: "text", data: { text: block.text } }
      : block?.type === "thinking"
        ? { event: "thinking", data: { thinking: block.thinking } }
        : undefined
  if (event !== undefined) return [{ ...step, transcript: Transcript.apply(step.transcript, event) }, [event]]
  return [
    step.transcript.open === undefined ? step : { ...step, transcript: { ...step.transcript, open: undefined } },
    []
  ]
}

const tell = (
  step: Step,
  event: TurnEvent,
  type: Transcript.OpenBlock["type"]
): readonly [Step, ReadonlyArray<TurnEvent>] => {
  const open = step.transcript.open
  const [before, events] = open === undefined || open.type === type ? ([step, []] as const) : flush(step)
  return [{ ...before, transcript: Transcript.apply(before.transcript, event) }, [...events, event]]
}

const kept = (block: number, data: Schema.Json, provider: string | undefined): Step["providerData"][number] =>
  provider === undefined ? { block, data } : { block, data, provider }

const currentBlock = (step: Step): number => step.transcript.blocks.length

const announce = (
  toolbox: Toolbox,
  event: Extract<ModelEvent, { readonly type: "tool_call" }>,
  toolCallId: string
): AnnouncedCall => {
  const input = ToolArguments.parse(event.arguments)
  const answerer = toolbox.answerers.get(event.name)
  const call = { toolCallId, name: event.name, input: Result.getOrElse(input, () => ({})) }
  if (answerer === undefined) {
    const names = [...toolbox.answerers.keys()].join(", ") || "none"
    return reject({ call }, `There is no tool named ${event.name}. The tools are: ${names}.`)
  }
  if (Result.isFailure(input)) return reject({ call }, input.failure)
  return { call, answerer, runnable: true }
}

/** The last call of an answer that ended for its length is no whole one if its input never began. */
const cutOff = (calls: ReadonlyArray<AnnouncedCall>): ReadonlyArray<AnnouncedCall> =>
  calls.map((call, index) =>
    index === calls.length - 1 && call.runnable && Object.keys(call.call.input).length === 0
      ? reject(call, `The call of ${call.call.name} was cut off: the answer reached its length before its input.`)
      : call
  )

/**
 * What a model event adds to a step, and the turn's events that tell it. `toolCallId` is a fresh id, used where the
 * event is a call.
 *
 * 1. A block's deltas are followed by the whole block, once, before anything else is told.
 * 2. Neighbouring blocks of one kind are one block; a blank one is none.
 * 3. Every call is announced under our id, with an object as its input, whatever the model sent.
 * 4. A call that was cut off by the answer's length is never run.
 * 5. After its finish a step says nothing more.
 */
export const apply = (
  step: Step,
  event: ModelEvent,
  toolbox: Toolbox,
  toolCallId: string
): readonly [Step, ReadonlyArray<TurnEvent>] => {
  if (step.finish !== undefined) return [step, []]
  switch (event.type) {
    case "text_delta":
      if (event.delta === "") return [step, []]
      return tell(step, { event: "text_delta", data: { delta: event.delta } }, "text")
    case "thinking_delta":
      if (event.delta === "") return [step, []]
      return tell(step, { event: "thinking_delta", data: { delta: event.delta } }, "thinking")
    case "provider_data": {
      const isOfOpenBlock = Transcript.openBlock(step.transcript)?.type === "thinking"
      const [flushed] = flush(step)
      const block = isOfOpenBlock ? currentBlock(step) : currentBlock(flushed)
      return [{ ...step, providerData: [...step.providerData, kept(block, event.data, event.provider)] }, []]
    }
    case "tool_call": {
      const [flushed, events] = flush(step)
      const announced = announce(toolbox, event, toolCallId)
      const told: TurnEvent = { event: "tool_call", data: announced.call }
      const data = event.data === undefined ? [] : [kept(currentBlock(flushed), event.data, event.provider)]
      const next: Step = {
        ...flushed,
        transcript: Transcript.apply(flushed.transcript, told),
        providerData: [...flushed.providerData, ...data],
        calls: [...flushed.calls, announced]
      }
      return [next, [...events, told]]
    }
    case "finish": {
      const [flushed, events] = flush(step)
      const { type: _, ...finish } = event
      return [{ ...flushed, finish, calls: event.reason === "length" ? cutOff(flushed.calls) : flushed.calls }, events]
    }
  }
}

type Delta = Extract<ModelEvent, { readonly delta: string }>

const isDelta = (event: ModelEvent | undefined): event is Delta =>
  event?.type === "text_delta" || event?.type === "thinking_delta"

/** The deltas of one type that begin here and follow each other. */
const runOfDeltas = (events: ReadonlyArray<ModelEvent>, start: number): ReadonlyArray<Delta> => {
  const run: Array<Delta> = []
  for (let index = start; index < events.length; index++) {
    const event = events[index]
    if (!isDelta(event) || event.type !== events[start]?.type) break
    run.push(event)
  }
  return run
}

/**
 * What some model events add to a step, and the events that tell them: the same as {@link apply} of one after the other. A
 * run of deltas, of which an answer nearly all consists, is told piece by piece, but added to its block as one: the answer
 * is then kept in a few strings, and not in all of its pieces.
 */
export const applyAll = (
  step: Step,
  events: ReadonlyArray<ModelEvent>,
  toolbox: Toolbox,
  nextCallId: () => string
): readonly [Step, ReadonlyArray<TurnEvent>] => {
  const told: Array<TurnEvent> = []
  let current = step
  const add = (event: ModelEvent): ReadonlyArray<TurnEvent> => {
    const [next, more] = apply(current, event, toolbox, event.type === "tool_call" ? nextCallId() : "")
    current = next
    return more
  }
  for (let index = 0; index < events.length; ) {
    const event = events[index] as ModelEvent
    if (!isDelta(event)) {
      told.push(...add(event))
      index++
      continue
    }
    const run = runOfDeltas(events, index)
    const joined = add({ type: event.type, delta: run.map(({ delta }) => delta).join("") })
    if (joined.length > 0) {
      told.push(...joined.slice(0, -1))
      for (const { delta, type } of run) if (delta !== "") told.push({ event: type, data: { delta } })
    }
    index += run.length
  }
  return [current, told]
}

/**
 * The assistant message of a step, with the provider data of its blocks; `undefined` if the model said nothing. Data of no
 * block is dropped with what never came.
 */
export const toEntry = (step: Step, provider: string): HistoryEntry | undefined => {
  const [flushed] = flush(step)
  const message = Transcript.assistantMessage(flushed.transcript.blocks)
  if (message === undefined) return undefined
  const last = flushed.transcript.blocks.length
  const providerData = step.providerData.filter(({ block }) => block < last).map((data) => ({ provider, ...data }))
  return providerData.length === 0 ? { message } : { message, providerData }
}

/**
 * What a finished step leads to: the reason to stop, or `undefined` to go on with its calls. The calls decide, unless
 * the model refused.
 */
export const stopReason = (step: Step): StopReason | undefined => {
  if (step.finish === undefined) return "error"
  if (step.finish.reason === "refusal") return "refusal"
  if (step.calls.length > 0) return undefined
  return step.finish.reason === "length" ? "max_tokens" : "end_turn"
}

/** The call without its rejection, as the store keeps it. */
export const toPending = ({ answerer, call, runnable }: AnnouncedCall): PendingCall => ({ answerer, call, runnable })
