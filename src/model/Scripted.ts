import { type Effect, Layer, type Schema, Stream } from "effect"
import { ChatModel, type FinishReason, type ModelEvent, type ModelRequest, type Usage } from "./ChatModel.ts"
import { ModelError } from "./ModelError.ts"

/** What a scripted model does next: say something, wait for something, fail, or end without a finish. */
export type Action =
  | { readonly _tag: "Say"; readonly event: ModelEvent }
  | { readonly _tag: "Wait"; readonly effect: Effect.Effect<unknown> }
  | { readonly _tag: "Fail"; readonly error: ModelError }
  | { readonly _tag: "End" }

/** One reply. It finishes with `stop` by itself, unless it says how it ends. */
export type Reply = ReadonlyArray<Action>

/** The replies of a model, in the order of its requests, or a function of the request and its number, from 0. */
export type Script = ReadonlyArray<Reply> | ((request: ModelRequest, index: number) => Reply)

const say = (event: ModelEvent): Action => ({ _tag: "Say", event })

/** Says a text, piece by piece. */
export const text = (...deltas: ReadonlyArray<string>): Reply =>
  deltas.map((delta) => say({ type: "text_delta", delta }))

/** Thinks aloud, piece by piece. */
export const thinking = (...deltas: ReadonlyArray<string>): Reply =>
  deltas.map((delta) => say({ type: "thinking_delta", delta }))

/** Calls a tool. The input may be any text, as models do send any. */
export const call = (name: string, input: Schema.JsonObject | string = {}): Reply => [
  say({ type: "tool_call", name, arguments: typeof input === "string" ? input : JSON.stringify(input) })
]

/** Says an event as it is. */
export const event = (event: ModelEvent): Reply => [say(event)]

/** Ends the reply. */
export const finish = (reason: FinishReason, usage?: Usage): Reply => [
  say(usage === undefined ? { type: "finish", reason } : { type: "finish", reason, usage })
]

/** Fails; for good, unless told otherwise. */
export const fail = (error: Partial<ModelError> & Pick<ModelError, "reason">): Reply => [
  { _tag: "Fail", error: new ModelError({ message: `scripted: ${error.reason}`, retryable: false, ...error }) }
]

/** Waits for an effect before going on: a gate that a test opens, a sleep, `Effect.never` to hang. */
export const wait = (effect: Effect.Effect<unknown>): Reply => [{ _tag: "Wait", effect }]

/** Ends without a finish, as a broken connection does. */
export const end: Reply = [{ _tag: "End" }]

/** Several parts as one reply. */
export const reply = (...parts: ReadonlyArray<Reply>): Reply => parts.flat()

const ends = (action: Action): boolean =>
  action._tag === "End" || (action._tag === "Say" && action.event.type === "finish")

const perform = (action: Action): Stream.Stream<ModelEvent, ModelError> => {
  switch (action._tag) {
    case "Say":
      return Stream.succeed(action.event)
    case "Wait":
      return Stream.fromEffectDrain(action.effect)
    case "Fail":
      return Stream.fail(action.error)
    case "End":
      return Stream.empty
  }
}

const exhausted = (index: number) =>
  new ModelError({
    reason: "invalid_request",
    message: `the script has no reply for request ${index}; it has replies for the ${index} before`,
    retryable: false
  })

/** A scripted model: its Layer, and what it has been asked so far. */
export interface ScriptedModel {
  readonly layer: Layer.Layer<ChatModel>
  readonly requests: ReadonlyArray<ModelRequest>
}

/** A model that plays a script: for tests of agents, tools and applications. */
export const make = (script: Script): ScriptedModel => {
  const requests: Array<ModelRequest> = []
  const replyTo = (request: ModelRequest, index: number) =>
    typeof script === "function" ? script(request, index) : script[index]
  const stream = (request: ModelRequest) =>
    Stream.suspend(() => {
      const index = requests.push(request) - 1
      const reply = replyTo(request, index)
      if (reply === undefined) return Stream.fail(exhausted(index))
      const whole = reply.some(ends) ? reply : [...reply, ...finish("stop")]
      return Stream.flatMap(Stream.fromIterable(whole), perform)
    })
  return { layer: Layer.succeed(ChatModel, { provider: "scripted", stream }), requests }
}

/** The Layer alone, for whoever does not ask what was asked. */
export const layer = (script: Script): Layer.Layer<ChatModel> => make(script).layer
