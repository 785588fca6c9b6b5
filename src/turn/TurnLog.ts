import { Effect } from "effect"
import { Confidential, type ConfidentialTexts } from "../telemetry/Confidential.ts"

/** Runs an effect whose log lines bear these names, and quote none of the texts, which are asked for once something is logged. */
export const within =
  (names: Readonly<Record<string, string>>, texts: () => ConfidentialTexts) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    effect.pipe(Effect.annotateLogs(names), Effect.provideService(Confidential, texts))
