import { Effect, Exit, Layer, Option, Schema, Stream } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as ChatCompletions from "./ChatCompletions.ts"
import type { Action } from "./Script.ts"
import { ScriptMemory } from "./ScriptMemory.ts"

const refusal = (status: number, message: string) =>
  HttpServerResponse.jsonUnsafe({ error: { message, type: "invalid_request_error" } }, { status })

/** As providers say it: by the code, and by the words. */
const overflow = HttpServerResponse.jsonUnsafe(
  {
    error: {
      message:
        "This model's maximum context length is 1000 tokens. However, your messages resulted in 2000 tokens. Please reduce the length of the messages.",
      type: "invalid_request_error",
      param: "messages",
      code: "context_length_exceeded"
    }
  },
  { status: 400 }
)

const encoder = new TextEncoder()
const sse = (data: string): Uint8Array => encoder.encode(`data: ${data}\n\n`)

const streamed = (request: ChatCompletions.Request, cue: ChatCompletions.Cue, released: Effect.Effect<void>) => {
  const all = ChatCompletions.actions(cue)
  const piece = (delta: Schema.JsonObject, finish: string | null = null) =>
    sse(JSON.stringify(ChatCompletions.chunk(request, delta, finish)))
  const failing = all.findIndex((action) => "fail" in action)
  const perform = (action: Action, index: number): Stream.Stream<Uint8Array> => {
    if ("hold" in action) return Stream.fromEffectDrain(released)
    const calls = all.slice(0, index).filter((before) => "call" in before).length
    // Each delta is written by itself, as a model does.
    return Stream.rechunk(
      Stream.fromIterable(ChatCompletions.deltas(cue, action, calls).map((delta) => piece(delta))),
      1
    )
  }
  const said = (failing === -1 ? all : all.slice(0, failing)).map(perform)
  // What fails in the middle has no finish.
  const end = failing === -1 ? [piece({}, ChatCompletions.finishReason(all)), sse("[DONE]")] : []
  return [Stream.make(piece({ role: "assistant" })), ...said, Stream.fromIterable(end)].reduce((before, next) =>
    Stream.concat(before, next)
  )
}

/** The status that a step fails with: before it has said anything, or at any place where it is not streamed. */
const failsWith = (actions: ReadonlyArray<Action>, isStreamed: boolean): number | undefined => {
  const said = actions.filter((action) => !("hold" in action))
  return (isStreamed ? said.slice(0, 1) : said).find((action) => "fail" in action)?.fail
}

const follow = Effect.fnUntraced(function* (request: ChatCompletions.Request, cue: ChatCompletions.Cue) {
  const memory = yield* ScriptMemory
  const { script, step } = cue
  const leave = yield* memory.ask(script.tag, {
    step,
    messages: ChatCompletions.given(request),
    tools: (request.tools ?? []).map((tool) => tool.function.name)
  })
  const actions = ChatCompletions.actions(cue)
  if (actions.some((action) => "overflow" in action)) return overflow
  const released = memory.released(script.tag)
  const status = failsWith(actions, request.stream === true)
  if (status === undefined && request.stream === true) {
    const said = Stream.onExit(streamed(request, cue, released), (exit) =>
      Exit.hasInterrupts(exit) ? leave : Effect.void
    )
    return HttpServerResponse.stream(said, { contentType: "text/event-stream" })
  }
  if (actions.some((action) => "hold" in action)) yield* Effect.onInterrupt(released, () => leave)
  return status === undefined
    ? HttpServerResponse.jsonUnsafe(ChatCompletions.completion(request, cue))
    : refusal(status, `the script fails with ${status}`)
})

const complete = HttpServerRequest.schemaBodyJson(ChatCompletions.Request).pipe(
  Effect.flatMap((request) =>
    Option.match(ChatCompletions.cue(request), {
      onNone: () =>
        Effect.succeed(refusal(400, "no user message has a script, and this model says what scripts tell it to")),
      onSome: (cue) => follow(request, cue)
    })
  ),
  Effect.catchTags({
    SchemaError: ({ message }) => Effect.succeed(refusal(400, `the request is no chat completion: ${message}`)),
    HttpServerError: ({ message }) => Effect.succeed(refusal(400, message))
  })
)

const tag = Effect.map(HttpRouter.params, ({ tag = "" }) => tag)

const asked = Effect.gen(function* () {
  const memory = yield* ScriptMemory
  return HttpServerResponse.jsonUnsafe(yield* memory.asked(yield* tag))
})

const release = Effect.gen(function* () {
  const memory = yield* ScriptMemory
  yield* memory.release(yield* tag)
  return HttpServerResponse.empty()
})

const models = { object: "list", data: [{ id: "scripted", object: "model", created: 0, owned_by: "effect-aap" }] }

/** What `GET /` answers: by this a check knows the model. */
export const Greeting = Schema.Struct({ scriptedModel: Schema.Literal(1) })

/**
 * The scripted model as a server of chat completions, streamed or not: it says what the latest script of a user
 * tells it to, one step each time that it is asked.
 *
 * 1. Where a script stands is read from the messages alone: scripts run side by side, and a step that is asked again is the
 *    same.
 * 2. `GET /script/TAG` tells what it was asked under a tag; `POST /script/TAG/release` lets its script go on.
 */
export const routes = Layer.mergeAll(
  HttpRouter.add("GET", "/", HttpServerResponse.jsonUnsafe(Greeting.make({ scriptedModel: 1 }))),
  HttpRouter.add("GET", "/v1/models", HttpServerResponse.jsonUnsafe(models)),
  HttpRouter.add("POST", "/v1/chat/completions", complete),
  HttpRouter.add("GET", "/script/:tag", asked),
  HttpRouter.add("POST", "/script/:tag/release", release)
).pipe(HttpRouter.provideRequest(ScriptMemory.layer))
