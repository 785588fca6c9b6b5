import {
  Context,
  type Duration,
  Effect,
  Fiber,
  FiberSet,
  Layer,
  Option,
  References,
  Scope,
  Stream,
  Tracer
} from "effect"
import type { TurnEvent } from "../protocol/TurnEvent.ts"
import type { Turn } from "../turn/TurnRunner.ts"
import { ShuttingDown } from "./RequestErrors.ts"

/** Who hears the events of a turn, in order. */
export interface Listener {
  /** Hears some events; the turn waits for it. */
  readonly hear: (events: ReadonlyArray<TurnEvent>) => Effect.Effect<void>
  /** Hears the last events, if any are left. It must not wait for anybody. */
  readonly end: (events: ReadonlyArray<TurnEvent>) => Effect.Effect<void>
}

/**
 * The turns that run in this process. Each has a fiber of its own, which outlives the request that began it as far as
 * its agent wants: a turn is interrupted when its request ends, or goes on with nobody listening. So it runs in the server's
 * context and not in its request's, which it would keep; from that it has only how it is named in logs and traces.
 *
 * 1. A turn that was accepted is run to its end, or abandoned; there is no moment between.
 * 2. Its listener hears one `turn_stop`, last.
 * 3. Once draining no turn begins, and after the deadline none runs.
 */
export class ActiveTurns extends Context.Service<
  ActiveTurns,
  {
    /** Accepts a turn and runs it. Done once it is accepted; the effect that it gives is done when the turn is over. */
    readonly run: <E>(
      accept: Effect.Effect<Turn, E>,
      listener: Listener
    ) => Effect.Effect<{ readonly ended: Effect.Effect<void> }, E | ShuttingDown, Scope.Scope>
    /** How many turns run now. */
    readonly count: Effect.Effect<number>
    /** Whether the server is about to end, and takes no more turns. */
    readonly isDraining: Effect.Effect<boolean>
    /** Takes no more turns, waits for those that run, and abandons them at the deadline. */
    readonly drain: (deadline: Duration.Input) => Effect.Effect<void>
  }
>()("effect-aap/ActiveTurns") {
  static readonly layer: Layer.Layer<ActiveTurns> = Layer.effect(
    ActiveTurns,
    Effect.suspend(() => make)
  )
}

const isStop = (events: ReadonlyArray<TurnEvent>): boolean => events.at(-1)?.event === "turn_stop"

const play = (turn: Turn, listener: Listener): Effect.Effect<void> =>
  Effect.suspend(() => {
    let stopped = false
    return turn.events.pipe(
      Stream.runForEachArray((events) => {
        stopped ||= isStop(events)
        return listener.hear(events)
      }),
      Effect.onExit((exit) =>
        exit._tag === "Success"
          ? listener.end([])
          : Effect.flatMap(turn.abandon, (rest) => listener.end(stopped ? [] : rest))
      ),
      turn.within
    )
  })

/** The server's context, with what names the request in logs and in traces. */
const naming = (server: Context.Context<never>, request: Context.Context<never>): Context.Context<never> => {
  const logged = server.pipe(
    Context.add(References.CurrentLogAnnotations, Context.get(request, References.CurrentLogAnnotations)),
    Context.add(References.CurrentLogSpans, Context.get(request, References.CurrentLogSpans))
  )
  return Option.match(Context.getOption(request, Tracer.ParentSpan), {
    onNone: () => logged,
    onSome: (span) => Context.add(logged, Tracer.ParentSpan, span)
  })
}

const turnsOf = (count: number): string => (count === 1 ? "1 turn" : `${count} turns`)

const make = Effect.gen(function* () {
  const fibers = yield* FiberSet.make<void>()
  const server = yield* Effect.context<never>()
  let draining = false

  const run = <E>(accept: Effect.Effect<Turn, E>, listener: Listener) =>
    Effect.uninterruptible(
      Effect.gen(function* () {
        if (draining) return yield* new ShuttingDown()
        const turn = yield* accept
        const fiber = yield* FiberSet.run(fibers, Effect.interruptible(play(turn, listener))).pipe(
          Effect.updateContext((request: Context.Context<never>) => naming(server, request))
        )
        if (turn.onDisconnect === "interrupt") yield* Scope.addFinalizer(yield* Effect.scope, Fiber.interrupt(fiber))
        return { ended: Effect.asVoid(Fiber.await(fiber)) }
      })
    )

  const cutOff = Effect.gen(function* () {
    const left = yield* FiberSet.size(fibers)
    yield* Effect.logWarning(`${turnsOf(left)} did not end in time, and ${left === 1 ? "is" : "are"} cut off`)
    yield* FiberSet.clear(fibers)
  })

  return ActiveTurns.of({
    run,
    count: FiberSet.size(fibers),
    isDraining: Effect.sync(() => draining),
    drain: (deadline) =>
      Effect.gen(function* () {
        draining = true
        const running = yield* FiberSet.size(fibers)
        if (running === 0) return
        yield* Effect.logInfo(`the server ends, and waits for ${turnsOf(running)}`)
        yield* Effect.timeoutOrElse(FiberSet.awaitEmpty(fibers), { duration: deadline, orElse: () => cutOff })
      })
  })
})
