import { Context, Effect } from "effect"
import * as SpokenText from "../history/SpokenText.ts"
import type { CreateSession } from "../protocol/Session.ts"
import type { TurnRequest } from "../protocol/Turn.ts"
import { Confidential, type ConfidentialTexts } from "../telemetry/Confidential.ts"

/** Where the current request's body is kept, once it is read. */
const RequestTexts = Context.Reference<{ texts: () => ConfidentialTexts }>("effect-aap/RequestTexts", {
  defaultValue: () => ({ texts: () => ({ said: [], secrets: [] }) })
})

/**
 * Runs a request so that its log lines quote nothing of its body from when that is read, whatever fails. A turn that it begins
 * knows more than the request does, and stands in for it there.
 */
export const guarded = <A, E, R>(request: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const kept: typeof RequestTexts.Service = { texts: () => ({ said: [], secrets: [] }) }
    return request.pipe(
      Effect.provideService(RequestTexts, kept),
      Effect.provideService(Confidential, () => kept.texts())
    )
  })

/** Keeps what a body says. Which of its options are secret, the agent knows; here they all are. */
export const keep = ({ agent, messages = [] }: CreateSession | TurnRequest): Effect.Effect<void> =>
  Effect.map(RequestTexts, (kept) => {
    kept.texts = () => ({
      said: messages.flatMap(SpokenText.ofMessage),
      secrets: Object.values(agent?.options ?? {})
    })
  })
