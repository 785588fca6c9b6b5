import { type Cause, Context, Effect, Layer, References, Scope } from "effect"
import type { SseOutlet, SseTimeouts } from "./SseOutlet.ts"

/**
 * Sends heartbeats to the open streams, and cuts off the clients that have stalled. One fiber does it for all of them: it
 * sleeps for as long as nothing can be due on any, whatever is written meanwhile. A heartbeat may be late by a twentieth.
 */
export class SseTender extends Context.Service<
  SseTender,
  {
    /** Tends a stream until the scope ends. */
    readonly tend: (outlet: SseOutlet) => Effect.Effect<void, never, Scope.Scope>
  }
>()("effect-aap/SseTender") {
  static readonly layer = (timeouts: SseTimeouts): Layer.Layer<SseTender> =>
    Layer.effect(
      SseTender,
      Effect.suspend(() => make(timeouts))
    )
}

const make = Effect.fnUntraced(function* (timeouts: SseTimeouts) {
  // A stream that begins meanwhile, or whose client stalls, has nothing due before.
  const longest = Math.min(timeouts.heartbeat, timeouts.stall)
  // What is due on many streams within this time waits for the end of it, so that they are walked once for all.
  const grain = Math.max(1, longest / 20)
  /** By stream what names its request in logs. */
  const open = new Map<SseOutlet, Readonly<Record<string, unknown>>>()
  const log = Effect.logWarning("a client stopped reading its stream and was cut off")

  const round = Effect.suspend(() => {
    let pause = longest
    const cutOff: Array<Effect.Effect<void>> = []
    for (const [outlet, names] of open) {
      const tended = outlet.tend(timeouts)
      if (!tended.isCutOff) pause = Math.min(pause, tended.pause)
      else if (open.delete(outlet)) cutOff.push(Effect.annotateLogs(log, names))
    }
    return Effect.andThen(Effect.all(cutOff, { discard: true }), Effect.sleep(Math.max(grain, pause)))
  })
  const failed = (cause: Cause.Cause<unknown>) =>
    Effect.andThen(Effect.logError("streams could not be tended", cause), Effect.sleep(longest))
  yield* Effect.forkScoped(Effect.andThen(Effect.sleep(longest), Effect.forever(Effect.catchCause(round, failed))))

  return SseTender.of({
    tend: (outlet) =>
      Effect.gen(function* () {
        const scope = yield* Effect.scope
        open.set(outlet, yield* References.CurrentLogAnnotations)
        yield* Scope.addFinalizer(
          scope,
          Effect.sync(() => open.delete(outlet))
        )
      })
  })
})
