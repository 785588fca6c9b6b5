import { Context, Effect, Layer, References } from "effect"
import { HttpClient } from "effect/http"
import * as SafeSpan from "./SafeSpan.ts"

const none = Context.make(References.TracerEnabled, false).pipe(Context.add(HttpClient.TracerDisabledWhen, () => true))

/** Where nobody sees spans none are made: each would take as long to make, and stay as long, as one that somebody sees. */
export const layer: Layer.Layer<never> = Layer.effectContext(
  Effect.map(SafeSpan.isSeen, (isSeen): Context.Context<never> => (isSeen ? Context.empty() : none))
)
