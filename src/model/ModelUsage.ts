import type { Usage } from "./ChatModel.ts"

/** A count as a provider tells it, or does not. */
type Told = number | null | undefined

/** What a provider tells of the tokens that a request took. What it does not tell is left out, not taken for none. */
export const make = (told: {
  readonly input: Told
  readonly output: Told
  readonly cached: Told
  readonly reasoning: Told
}): Usage => ({
  inputTokens: told.input ?? 0,
  outputTokens: told.output ?? 0,
  ...(typeof told.cached === "number" ? { cachedTokens: told.cached } : {}),
  ...(typeof told.reasoning === "number" ? { reasoningTokens: told.reasoning } : {})
})
