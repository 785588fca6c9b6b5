import { Clock, Context, Duration, Effect, Layer } from "effect"
import * as CompactedHistory from "../history/CompactedHistory.ts"
import * as ChatCall from "../model/ChatCall.ts"
import { ChatModel } from "../model/ChatModel.ts"
import { ModelError } from "../model/ModelError.ts"
import type { SessionId } from "../protocol/Session.ts"
import * as CompactionPlan from "./CompactionPlan.ts"
import * as Summary from "./Summary.ts"

/** What a compaction is asked, before a step of a turn. */
export interface CompactionRequest extends CompactionPlan.Situation {
  readonly sessionId: SessionId
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
export interface CompactionOptions {
  readonly above?: number
  readonly keep?: number
}

/** What stands longest ago is left out, and nothing tells of it. */
export const window = ({ above = 100_000, keep = above / 5 }: CompactionOptions = {}): Layer.Layer<never> =>
  Layer.succeed(Compaction, {
    compact: (request) => Effect.succeed(CompactionPlan.make(request, { above, keep, told: 0 }))
  })

/** How a summary is made. */
export interface SummaryOptions extends CompactionOptions {
  /** The provider's name of the model that writes it; the session's own where absent. */
  readonly model?: string
  /** How long it may take; a minute by default. */
  readonly timeout?: Duration.Input
}

/** How long a session is left alone whose summary failed, unless its context overflows. */
const pause = Duration.minutes(5)

/** How many sessions are remembered whose summary failed. */
const failuresKept = 1000

const tookTooLong = new ModelError({ reason: "timeout", message: "the summary took too long", retryable: true })

/**
 * What stands longest ago is left out, and told by a summary that the model writes, in no more tokens than an eighth of
 * `above`. Where that fails the history stays as it is, for some minutes; but after an overflow it is left out without one,
 * since the turn could not go on.
 */
export const summary = ({
  above = 100_000,
  keep = above / 5,
  model,
  timeout = "1 minute"
}: SummaryOptions = {}): Layer.Layer<never, never, ChatModel> => {
  const told = above / 8
  const write = (chat: ChatModel["Service"], { history, isOverflow, sizes, ...request }: CompactionRequest) =>
    Effect.fnUntraced(function* (plan: CompactedHistory.Compaction) {
      const left = CompactedHistory.leftOut(history, CompactedHistory.compact(history, plan))
      if (left.length === 0) return plan
      const most = isOverflow ? CompactionPlan.size(history, sizes) / 2 : above
      // A part of the request is for what was told before, and for the answer.
      const pieceTokens = (most * 0.75) / sizes.ratio
      const material = { earlier: history.cut.summary, history: left, pieceTokens, longest: told * 4 }
      const text = yield* Effect.timeoutOrElse(Summary.write(chat, model ?? request.model, material), {
        duration: timeout,
        orElse: () => Effect.fail(tookTooLong)
      })
      return text === undefined ? plan : { ...plan, summary: text }
    })
  const make = (chat: ChatModel["Service"]): Compactor => {
    const failures = new Map<SessionId, number>()
    const remember = (id: SessionId, now: number) => {
      failures.delete(id)
      failures.set(id, now)
      const [oldest] = failures.keys()
      if (failures.size > failuresKept && oldest !== undefined) failures.delete(oldest)
    }
    return {
      compact: Effect.fnUntraced(function* (request) {
        const { isOverflow, sessionId } = request
        const plan = CompactionPlan.make(request, { above, keep, told })
        if (plan === undefined) return undefined
        const now = yield* Clock.currentTimeMillis
        const failedAt = failures.get(sessionId)
        if (!isOverflow && failedAt !== undefined && now - failedAt < Duration.toMillis(pause)) return undefined
        return yield* write(
          chat,
          request
        )(plan).pipe(
          Effect.tapError(() => Effect.sync(() => remember(sessionId, now))),
          Effect.catch((error) =>
            isOverflow
              ? Effect.as(Effect.logWarning("messages are left out without their summary, which failed", error), plan)
              : Effect.fail(error)
          )
        )
      })
    }
  }
  return Layer.effect(
    Compaction,
    Effect.map(ChatModel, (chat) => make(ChatCall.observed(chat)))
  )
}
