import { Effect } from "effect"
import { broken, notApplicable, type Rule } from "./Rule.ts"
import { Subject } from "./Subject.ts"

/**
 * A rule that is to hold in each way of answering that the agent declares. It has nothing to say where it has nothing to
 * say in any of them.
 */
export const inEachMode = (rule: Rule): Rule => ({
  ...rule,
  check: Effect.gen(function* () {
    const subject = yield* Subject
    if (subject.modes.length === 0) return yield* rule.check
    const silences = yield* Effect.forEach(subject.modes, (mode) =>
      rule.check.pipe(
        Effect.provideService(Subject, { ...subject, modes: [mode] }),
        Effect.as<string | undefined>(undefined),
        Effect.catchTags({
          RuleBroken: ({ message }) => broken(`${message} (mode ${mode})`),
          NotApplicable: ({ reason }) => Effect.succeed(reason)
        })
      )
    )
    const reasons = silences.filter((reason) => reason !== undefined)
    const [reason] = reasons
    if (reason !== undefined && reasons.length === silences.length) return yield* notApplicable(reason)
  })
})
