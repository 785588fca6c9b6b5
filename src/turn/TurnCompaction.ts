import { Cause, Effect } from "effect"
import * as CompactedHistory from "../history/CompactedHistory.ts"
import * as TokenEstimate from "../history/TokenEstimate.ts"
import type { ModelRequest, Usage } from "../model/ChatModel.ts"
import type { SessionId } from "../protocol/Session.ts"
import type { LeaseLost, StoreError } from "../session/SessionStore.ts"
import { type Compactor, none } from "./Compaction.ts"
import * as SafeSpan from "../telemetry/SafeSpan.ts"
import * as CompactionPlan from "./CompactionPlan.ts"

type History = CompactedHistory.CompactedHistory

/** The compactions of one turn. */
export interface TurnCompaction {
  /** Compacts before a step, where it is time for it. */
  readonly beforeStep: (history: History) => Effect.Effect<void, LeaseLost | StoreError>
  /** Compacts what the provider refused as too long; whether anything was left out. */
  readonly afterOverflow: (history: History) => Effect.Effect<boolean, LeaseLost | StoreError>
  /** Learns how many tokens the provider counted in the request for a history. */
  readonly learn: (history: History, usage: Usage) => void
}

/** A model's request, but for its history. */
type Frame = Omit<ModelRequest, "history">

const never: TurnCompaction = {
  beforeStep: () => Effect.void,
  afterOverflow: () => Effect.succeed(false),
  learn: () => undefined
}

/** The smallest request, in estimated tokens, that tells how good an estimate is: of a small one most is overhead. */
const learntFrom = 1000

/** How often one turn compacts after an overflow. */
const overflowLimit = 3

const fixedSize = ({ system, tools }: Frame): number =>
  TokenEstimate.ofText(system) + (tools.length === 0 ? 0 : TokenEstimate.ofText(JSON.stringify(tools)))

/**
 * Runs a compactor for a turn, and hands what it decides to `store`.
 *
 * 1. What a compactor fails in is told to the log; the turn goes on with the history that it has.
 * 2. One that failed is not asked again in this turn, unless the context overflows.
 * 3. After an overflow it is asked a few times at most.
 * 4. Estimates are corrected by what the provider counts, by no more than a factor of two.
 */
export const make = (
  compactor: Compactor,
  sessionId: SessionId,
  frame: Frame,
  store: (history: History) => Effect.Effect<void, LeaseLost | StoreError>
): TurnCompaction => {
  if (compactor === none) return never
  const fixed = fixedSize(frame)
  let ratio = 1
  let hasFailed = false
  let overflows = 0

  const compact = Effect.fnUntraced(
    function* (history: History, isOverflow: boolean): Effect.fn.Return<boolean, LeaseLost | StoreError> {
      const decided = yield* compactor
        .compact({ sessionId, history, isOverflow, model: frame.model, sizes: { fixed, ratio } })
        .pipe(
          Effect.catchCause((cause) => {
            if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
            hasFailed = true
            return Effect.as(Effect.logWarning("a history could not be compacted", cause), undefined)
          })
        )
      if (decided === undefined) return false
      const compacted = CompactedHistory.compact(history, decided)
      const { from, shortenedTo } = compacted.cut
      if (from === history.cut.from && shortenedTo === history.cut.shortenedTo) return false
      yield* Effect.annotateCurrentSpan({ "aap.compaction.left_out": from - history.cut.from })
      yield* store(compacted)
      return true
    },
    SafeSpan.within<LeaseLost | StoreError>("compact", {}, ({ _tag }) =>
      _tag === "LeaseLost" ? "lease_lost" : "store_unavailable"
    )
  )

  return {
    beforeStep: (history) => (hasFailed ? Effect.void : Effect.asVoid(compact(history, false))),
    afterOverflow: (history) => (++overflows > overflowLimit ? Effect.succeed(false) : compact(history, true)),
    learn: (history, { inputTokens }) => {
      const estimated = CompactionPlan.size(history, { fixed, ratio: 1 })
      if (inputTokens > 0 && estimated >= learntFrom) ratio = Math.min(2, Math.max(0.5, inputTokens / estimated))
    }
  }
}
