import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { SessionStore, StoreError } from "../session/SessionStore.ts"
import { ActiveTurns } from "./ActiveTurns.ts"
import { toResponse } from "./ErrorResponses.ts"
import { paths } from "./Probes.ts"
import { ShuttingDown } from "./RequestErrors.ts"

/** How long the store may take to answer before it counts as away. */
const patience = "2 seconds"

const ok = HttpServerResponse.jsonUnsafe({ status: "ok" }, { headers: { "cache-control": "no-store" } })

const tooSlow = new StoreError({ operation: "ping", cause: `it took longer than ${patience}` })

/**
 * Whether the process lives, at `/healthz`, and whether to send it requests, at `/readyz`. They are open: an orchestrator has
 * no key, and they tell nothing else.
 *
 * 1. A server that drains is not ready, and says so before its port closes; it is alive until it ends.
 * 2. A server whose store does not answer within two seconds is not ready. It is alive: starting it anew mends no database.
 * 3. What is asked every few seconds is logged by whoever asks, not here.
 */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const router = yield* HttpRouter.HttpRouter
    const turns = yield* ActiveTurns
    const store = yield* SessionStore
    const ready = Effect.gen(function* () {
      if (yield* turns.isDraining) return yield* new ShuttingDown()
      yield* Effect.timeoutOrElse(store.ping, { duration: patience, orElse: () => Effect.fail(tooSlow) })
      return ok
    })
    yield* router.add("GET", paths.alive, Effect.succeed(ok))
    yield* router.add(
      "GET",
      paths.ready,
      Effect.catch(ready, (failure) => Effect.succeed(toResponse(failure))).pipe(Effect.withTracerEnabled(false))
    )
  })
)
