import type { StopReason } from "../../protocol/Turn.ts"

/** How a turn has ended: as its server says, or because the user stopped it. */
export type Ending = StopReason | "stopped"

/** An ending in words. */
export const words: Readonly<Record<Ending, string>> = {
  stopped: "You stopped the turn.",
  error: "The turn ended with an error.",
  refusal: "The agent refused.",
  max_tokens: "The turn ended at the limit of tokens.",
  tool_use: "The agent waits.",
  end_turn: "The turn ended."
}
