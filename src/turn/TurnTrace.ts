import { Context, Effect, Metric, Stream, Tracer } from "effect"
import type { ModelEvent } from "../model/ChatModel.ts"
import * as StreamPull from "../model/StreamPull.ts"
import type { StopReason } from "../protocol/Turn.ts"
import * as SafeSpan from "../telemetry/SafeSpan.ts"
import * as UnseenSpans from "../telemetry/UnseenSpans.ts"
import * as Seconds from "../telemetry/Seconds.ts"
import * as Errors from "./Errors.ts"

/** Turns that run now. */
export const activeTurns = Metric.gauge("aap.turns.active", {
  description: "Turns that run now",
  attributes: { unit: "{turn}" }
})

/** Turns that are over, by `gen_ai.agent.name` and `aap.stop_reason`. */
export const turns = Metric.counter("aap.turns", {
  description: "Turns that are over",
  incremental: true,
  attributes: { unit: "{turn}" }
})

/** Pieces of text and of thinking that models have streamed. */
export const deltas = Metric.counter("aap.deltas", {
  description: "Deltas that models streamed",
  incremental: true,
  attributes: { unit: "{delta}" }
})

/** How long it is from a turn's beginning to its first delta. */
export const timeToFirstDelta = Seconds.histogram(
  "aap.turn.time_to_first_delta",
  "Time from a turn's beginning to its first delta"
)

/** Whose turn it is that is traced. */
export interface TracedTurn {
  readonly agent: string
  readonly sessionId: string
  readonly turnId: string
}

/** The spans and metrics of one turn. */
export interface TurnTrace {
  /** Begins the turn's span, beneath whatever span is current. */
  readonly begin: Effect.Effect<void>
  /** Ends the step before, and begins the one of this number, from 1. */
  readonly step: (count: number) => Effect.Effect<void>
  /** Hears what a model says. */
  readonly hear: (chunk: ReadonlyArray<ModelEvent>) => void
  /** Notes of which type the failure is that ends the turn. */
  readonly fail: (type: string) => Effect.Effect<void>
  readonly annotate: (attributes: Readonly<Record<string, unknown>>) => void
  /** Runs an effect beneath the step's span, or the turn's between steps. */
  readonly within: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** So a stream, made when it is run, as far as anybody sees its spans: it costs each of its chunks something. */
  readonly streamWithin: <A, E, R>(stream: () => Stream.Stream<A, E, R>) => Stream.Stream<A, E, R>
  /** Ends what is open. A turn without a stop reason was given up. */
  readonly end: (stopReason: StopReason | undefined) => Effect.Effect<void>
}

const isDelta = ({ type }: ModelEvent): boolean => type === "text_delta" || type === "thinking_delta"

/**
 * Traces a turn.
 *
 * 1. There is one span for the turn and one for each step, never one for a delta.
 * 2. The turn's span ends with the turn, not with the request that it is beneath: that one ends when its client has read
 *    the last byte.
 * 3. A chunk of deltas costs one update of a counter, whoever looks.
 */
export const make = ({ agent, sessionId, turnId }: TracedTurn): TurnTrace => {
  const told = { "gen_ai.agent.name": agent }
  let turn: Tracer.Span | undefined
  let step: Tracer.Span | undefined
  let context: Context.Context<never> = Context.empty()
  let startedAt = 0n
  let heardAt: bigint | undefined
  let failure: string | undefined
  let nanos = () => 0n

  const endStep = (errorType?: string) =>
    Effect.suspend(() => {
      const ended = step
      step = undefined
      return ended === undefined ? Effect.void : SafeSpan.end(ended, errorType)
    })

  const begin = () =>
    Effect.gen(function* () {
      context = yield* Effect.context()
      startedAt = yield* Seconds.now
      nanos = yield* Effect.clockWith((clock) => Effect.succeed(() => clock.currentTimeNanosUnsafe()))
      turn = yield* Effect.makeSpan(`invoke_agent ${agent}`, {
        attributes: {
          "gen_ai.operation.name": "invoke_agent",
          ...told,
          "gen_ai.conversation.id": sessionId,
          "aap.turn.id": turnId
        }
      })
      yield* Metric.modify(activeTurns, 1)
    }).pipe(Effect.uninterruptible)

  return {
    begin: Effect.suspend(begin),
    step: (count) =>
      Effect.gen(function* () {
        yield* endStep()
        step = yield* Effect.makeSpan("step", {
          ...(turn === undefined ? {} : { parent: turn }),
          attributes: { "aap.step": count }
        })
      }),
    hear: (chunk) => {
      let count = 0
      for (const event of chunk) if (isDelta(event)) count++
      if (count === 0) return
      heardAt ??= nanos()
      deltas.updateUnsafe(count, context)
    },
    fail: (type) =>
      Effect.suspend(() => {
        failure = type
        return Errors.count(type)
      }),
    annotate: (attributes) => {
      for (const [name, value] of Object.entries(attributes)) turn?.attribute(name, value)
    },
    within: (effect) =>
      Effect.suspend(() => {
        const span = step ?? turn
        return span === undefined ? effect : SafeSpan.beneath(span)(effect)
      }),
    streamWithin: (stream) =>
      StreamPull.toStream((scope) =>
        Effect.flatMap(UnseenSpans.isSeen, (isSeen) => {
          const span = step ?? turn
          const inner = stream()
          const traced = isSeen && span !== undefined ? Stream.provideService(inner, Tracer.ParentSpan, span) : inner
          return StreamPull.make(traced, scope)
        })
      ),
    end: (stopReason = "error") =>
      Effect.gen(function* () {
        if (turn === undefined) return
        const errorType = stopReason === "error" ? (failure ?? SafeSpan.interrupted) : failure
        yield* Metric.modify(activeTurns, -1)
        yield* Metric.update(Metric.withAttributes(turns, { ...told, "aap.stop_reason": stopReason }), 1)
        if (heardAt !== undefined) yield* Metric.update(timeToFirstDelta, Seconds.between(startedAt, heardAt))
        if (errorType === SafeSpan.interrupted) yield* Errors.count(errorType)
        turn.attribute("aap.stop_reason", stopReason)
        yield* endStep(errorType)
        yield* SafeSpan.end(turn, errorType)
      })
  }
}
