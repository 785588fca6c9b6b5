import { Effect, Metric } from "effect"
import type { Usage } from "./ChatModel.ts"

/** Tokens of several requests together. */
export const add = (one: Usage | undefined, other: Usage): Usage => ({
  inputTokens: (one?.inputTokens ?? 0) + other.inputTokens,
  outputTokens: (one?.outputTokens ?? 0) + other.outputTokens,
  cachedTokens: (one?.cachedTokens ?? 0) + (other.cachedTokens ?? 0),
  reasoningTokens: (one?.reasoningTokens ?? 0) + (other.reasoningTokens ?? 0)
})

/** A span's attributes, by the GenAI semantic conventions; none where the provider told none. */
export const attributes = (usage: Usage | undefined): Readonly<Record<string, number>> =>
  usage === undefined
    ? {}
    : {
        "gen_ai.usage.input_tokens": usage.inputTokens,
        "gen_ai.usage.output_tokens": usage.outputTokens,
        "gen_ai.usage.cache_read.input_tokens": usage.cachedTokens ?? 0,
        "gen_ai.usage.reasoning.output_tokens": usage.reasoningTokens ?? 0
      }

/**
 * Tokens of each model request, by `gen_ai.provider.name` and `gen_ai.token.type`: `input` and `output` are all of them;
 * `cache_read` is a part of `input`, `reasoning` a part of `output`. Models are no attribute, since applications name
 * them freely.
 */
export const tokenUsage = Metric.histogram("gen_ai.client.token.usage", {
  attributes: { unit: "{token}" },
  description: "Tokens of model requests",
  boundaries: Array.from({ length: 14 }, (_, power) => 4 ** power)
})

/** Counts what a model request took. */
export const record = (provider: string, usage: Usage): Effect.Effect<void> => {
  const update = (type: string, tokens: number | undefined) =>
    tokens === undefined
      ? Effect.void
      : Metric.update(
          Metric.withAttributes(tokenUsage, {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": provider,
            "gen_ai.token.type": type
          }),
          tokens
        )
  return Effect.all(
    [
      update("input", usage.inputTokens),
      update("output", usage.outputTokens),
      update("cache_read", usage.cachedTokens),
      update("reasoning", usage.reasoningTokens)
    ],
    { discard: true }
  )
}
