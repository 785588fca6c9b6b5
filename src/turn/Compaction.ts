import { Context, type Duration, Effect, Layer } from "effect"
import * as CompactedHistory from "../history/CompactedHistory.ts"
import { ChatModel } from "../model/ChatModel.ts"
import { ModelError } from "../model/ModelError.ts"
import * as CompactionPlan from "./CompactionPlan.ts"
import * as Summary from "./Summary.ts"

/** What a compaction is asked, before a step of a turn. */
export interface CompactionRequest extends CompactionPlan.Situation {
  /** The provider's name of the session's model. */
  readonly model: string
}

/** How histories are kept small enough for a model. */
export interface Compactor {
  /**
   * What to leave out of the history that is fed to the model; `undefined` for nothing. It is asked before each model step,
   * under the session's lease, and again where the provider refuses the step as too long. Whatever it answers, message
   * groups stay whole, and system text and what is still open stay. Its failure ends no turn.
   */
  readonly compact: (request: CompactionRequest) => Effect.Effect<CompactedHistory.Compaction | undefined, ModelError>
}

/** Every request has the whole history: a context that overflows ends its turn with `max_tokens`. */
export const none: Compactor = { compact: () => Effect.undefined }

/** How a server compacts. By default it does not. */
export const Compaction = Context.Reference<Compactor>("effect-aap/Compaction", { defaultValue: () => none })

/** When to compact, and what stays, in tokens: above 100,000 by default, and a fifth of it. */
export interface CompactionOptions extends Partial<CompactionPlan.Limits> {}

const limitsOf = ({ above = 100_000, keep = above / 5 }: CompactionOptions): CompactionPlan.Limits => ({ above, keep })

/** What stands longest ago is left out, untold. */
export const window = (options: CompactionOptions = {}): Layer.Layer<never> => {
  const limits = limitsOf(options)
  return Layer.succeed(Compaction, { compact: (request) => Effect.succeed(CompactionPlan.make(request, limits)) })
}

/** How a summary is made. */
export interface SummaryOptions extends CompactionOptions {
  /** The provider's name of the model that writes it; the session's own where absent. */
  readonly model?: string
  /** How long it may take; two minutes by default. */
  readonly timeout?: Duration.Input
}

const tookTooLong = new ModelError({ reason: "timeout", message: "the summary took too long", retryable: true })

/**
 * What stands longest ago is left out, and told by a summary that the model writes. Where that fails the history stays as
 * it is; but after an overflow it is left out untold, since the turn could not go on.
 */
export const summary = ({
  model,
  timeout = "2 minutes",
  ...options
}: SummaryOptions = {}): Layer.Layer<never, never, ChatModel> => {
  const limits = limitsOf(options)
  return Layer.effect(
    Compaction,
    Effect.map(
      ChatModel,
      (chat): Compactor => ({
        compact: (request) => {
          const { history, isOverflow, sizes } = request
          const plan = CompactionPlan.make(request, limits)
          if (plan === undefined) return Effect.undefined
          const left = CompactedHistory.leftOut(history, CompactedHistory.compact(history, plan))
          if (left.length === 0) return Effect.succeed(plan)
          const most = isOverflow ? CompactionPlan.size(history, sizes) / 2 : limits.above
          const material = { earlier: history.cut.summary, history: left, pieceTokens: most / sizes.ratio }
          return Summary.write(chat, model ?? request.model, material).pipe(
            Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.fail(tookTooLong) }),
            Effect.map((text) => (text === undefined ? plan : { ...plan, summary: text })),
            Effect.catch((error) =>
              isOverflow
                ? Effect.as(Effect.logWarning("messages are left out untold, since their summary failed", error), plan)
                : Effect.fail(error)
            )
          )
        }
      })
    )
  )
}
