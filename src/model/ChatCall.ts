import { Clock, Effect, Exit, Metric, Scope, Stream, Tracer } from "effect"
import type * as Arr from "effect/Array"
import { CaptureContent } from "../telemetry/CaptureContent.ts"
import { Confidential } from "../telemetry/Confidential.ts"
import * as Quoted from "../telemetry/Quoted.ts"
import * as SafeSpan from "../telemetry/SafeSpan.ts"
import * as UnseenSpans from "../telemetry/UnseenSpans.ts"
import * as Seconds from "../telemetry/Seconds.ts"
import * as CapturedText from "./CapturedText.ts"
import type { ChatModel, ModelEvent, ModelRequest } from "./ChatModel.ts"
import { ModelError } from "./ModelError.ts"
import * as StreamPull from "./StreamPull.ts"
import * as TokenUsage from "./TokenUsage.ts"

/** How long a model request takes, by `gen_ai.provider.name`, and `error.type` where it failed. */
export const duration = Seconds.histogram("gen_ai.client.operation.duration", "Time that a model request took")

/** How long a model takes until it says something, by `gen_ai.provider.name`. */
export const timeToFirstChunk = Seconds.histogram(
  "gen_ai.client.operation.time_to_first_chunk",
  "Time from a model request to the first piece of its answer"
)

type Finish = Extract<ModelEvent, { readonly type: "finish" }>

/** What is known of a model request while it runs. */
interface Call {
  firstAt: bigint | undefined
  calls: boolean
  finish: Finish | undefined
}

const finishReason = ({ calls, finish }: Call): string => (calls ? "tool_calls" : (finish?.reason ?? "error"))

const errorType = (error: unknown): string => (error instanceof ModelError ? error.reason : "internal")

/** Hears a chunk. It is run for each, so it does next to nothing. */
const hear = (call: Call, chunk: ReadonlyArray<ModelEvent>): void => {
  for (const event of chunk) {
    if (event.type === "tool_call") call.calls = true
    else if (event.type === "finish") call.finish ??= event
  }
}

const open = Effect.fnUntraced(function* (
  model: ChatModel["Service"],
  request: ModelRequest,
  scope: Scope.Scope
): Effect.fn.Return<StreamPull.StreamPull<ModelEvent, ModelError>> {
  const isSeen = yield* UnseenSpans.isSeen
  const captures = isSeen && (yield* CaptureContent)
  const texts = yield* Confidential
  const hide = (text: string) => Quoted.hide(text, texts().secrets)
  const operation = { "gen_ai.operation.name": "chat", "gen_ai.provider.name": model.provider }
  const startedAt = yield* Seconds.now
  const clock = yield* Clock.Clock
  const span = yield* Effect.makeSpan(`chat ${request.model}`, {
    kind: "client",
    attributes: {
      ...operation,
      "gen_ai.request.model": request.model,
      ...(request.maxTokens === undefined ? {} : { "gen_ai.request.max_tokens": request.maxTokens }),
      ...(captures ? { "gen_ai.input.messages": CapturedText.input(request.history, hide) } : {})
    }
  })
  const call: Call = { firstAt: undefined, calls: false, finish: undefined }
  const said: Array<ModelEvent> = []

  const close = (exit: Exit.Exit<unknown, unknown>) =>
    Effect.gen(function* () {
      const isAnswered = Exit.isSuccess(exit) || call.finish !== undefined
      const type = isAnswered ? undefined : SafeSpan.errorType(exit.cause, errorType)
      const provider = call.finish?.provider ?? model.provider
      const told = { ...operation, "gen_ai.provider.name": provider }
      const failed = type === undefined ? {} : { "error.type": type }
      const took = Seconds.between(startedAt, yield* Seconds.now)
      yield* Metric.update(Metric.withAttributes(duration, { ...told, ...failed }), took)
      if (call.firstAt !== undefined) {
        yield* Metric.update(Metric.withAttributes(timeToFirstChunk, told), Seconds.between(startedAt, call.firstAt))
      }
      span.attribute("gen_ai.provider.name", provider)
      if (call.finish !== undefined) {
        span.attribute("gen_ai.response.finish_reasons", [finishReason(call)])
        for (const [name, value] of Object.entries(TokenUsage.attributes(call.finish.usage)))
          span.attribute(name, value)
      }
      if (captures) span.attribute("gen_ai.output.messages", CapturedText.output(said, finishReason(call), hide))
      yield* SafeSpan.end(span, type)
    })

  yield* Scope.addFinalizerExit(scope, close)
  const answer = model.stream(request)
  const seen = isSeen ? Stream.provideService(answer, Tracer.ParentSpan, span) : answer
  const note = (chunk: Arr.NonEmptyReadonlyArray<ModelEvent>) => {
    call.firstAt ??= clock.currentTimeNanosUnsafe()
    hear(call, chunk)
    if (captures) said.push(...chunk)
    return chunk
  }
  return yield* Effect.map(StreamPull.make(seen, scope), Effect.map(note))
})

/**
 * A model each of whose requests has a span, `chat MODEL`, and moves the metrics of the GenAI conventions.
 *
 * 1. A request that is tried again is another request.
 * 2. What is said is in no span unless {@link CaptureContent} asks for it; secret options never are, and neither are the
 *    instructions, which an agent may put them in.
 * 3. Where nobody sees spans a chunk costs a loop over its events.
 * 4. It ends with the scope that its stream is run in, and fails as that does.
 */
export const observed = (model: ChatModel["Service"]): ChatModel["Service"] => ({
  provider: model.provider,
  stream: (request) => StreamPull.toStream((scope) => open(model, request, scope))
})
