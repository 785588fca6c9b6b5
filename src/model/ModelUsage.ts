import type { Usage } from "./ChatModel.ts"

/** A count as a provider tells it, or does not. */
type Told = number | null | undefined

const count = (told: Told): number => Math.max(0, told ?? 0)

/** What a provider tells of the tokens that a request took. What it does not tell is left out, not taken for none. */
export const make = (told: {
  readonly input: Told
  readonly output: Told
  readonly cached: Told
  readonly reasoning: Told
}): Usage => ({
  inputTokens: count(told.input),
  outputTokens: count(told.output),
  ...(typeof told.cached === "number" ? { cachedTokens: count(told.cached) } : {}),
  ...(typeof told.reasoning === "number" ? { reasoningTokens: count(told.reasoning) } : {})
})
