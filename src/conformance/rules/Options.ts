import { Effect, Equal } from "effect"
import * as Cue from "../Cue.ts"
import * as Fed from "../Fed.ts"
import { expectRefused, expectUnasked, refusedTurn } from "../Refusal.ts"
import { expect, expectSame, notApplicable, quoted, type Rule } from "../Rule.ts"
import { many, pages } from "../SessionList.ts"
import * as Sessions from "../Sessions.ts"
import { Subject } from "../Subject.ts"
import * as Turns from "../Turns.ts"

/** What the model is told of its task by a session with these options. */
const instructions = Effect.fnUntraced(function* (options: Readonly<Record<string, string>>) {
  const id = yield* Sessions.open({ agent: { options } })
  const { message, tag } = yield* Cue.make([{ text: ["ok"] }])
  yield* Turns.take(id, [message])
  const messages = yield* Fed.messages(tag)
  return messages.filter(({ role }) => role === "system" || role === "developer").map(({ text }) => text)
})

const fillsIn: Rule = {
  id: "option-defaults",
  section: "2 What is left out",
  says: "Options that a session leaves out take their defaults.",
  check: Effect.gen(function* () {
    const { agent } = yield* Subject
    const options = (agent.options ?? []).filter(({ type }) => type !== "secret")
    if (options.length === 0) return yield* notApplicable("the agent has no options that are no secrets")
    for (const option of options) {
      yield* expect(
        option.type !== "select" || option.options.includes(option.default),
        `the default of ${option.name} is ${quoted(option.default)}, which is none of its options`
      )
    }
    const { options: shown = {} } = (yield* Sessions.info(yield* Sessions.open())).agent
    for (const option of options) {
      const value = shown[option.name] ?? option.default
      yield* expectSame(`the option ${option.name}, which was left out,`, value, option.default)
    }
    const defaults = Object.fromEntries(
      options.flatMap((option) => (option.default === "" ? [] : [[option.name, option.default]]))
    )
    const [left, set] = [yield* instructions({}), yield* instructions(defaults)]
    if (Equal.equals(left, set)) return
    // Instructions that are others each time say nothing of options.
    const [leftAgain, setAgain] = [yield* instructions({}), yield* instructions(defaults)]
    if (!Equal.equals([left, set], [leftAgain, setAgain])) return
    yield* expectSame("what the model is told where options are left out", left, set)
  })
}

const chooses: Rule = {
  id: "select-options",
  section: "2 AgentOption",
  says: "A select option takes its own values alone: another is refused, and changes nothing.",
  check: Effect.gen(function* () {
    const { agent } = yield* Subject
    const option = agent.options?.find(({ type }) => type === "select")
    if (option === undefined) return yield* notApplicable("the agent has no select option")
    const options = { [option.name]: "aap-none-of-these" }
    const what = `a value of ${option.name} that is none of its options`
    const body = { agent: { name: agent.name, options } }
    yield* expectRefused(what, yield* Sessions.askToMake({ method: "POST", path: "/sessions", body }))
    const id = yield* Sessions.open()
    const before = yield* Sessions.info(id)
    const { message, tag } = yield* Cue.make([{ text: ["ok"] }])
    yield* refusedTurn(what, id, { messages: [message], agent: { options } })
    yield* expectSame("the session after a turn that was refused", yield* Sessions.info(id), before)
    yield* expectUnasked(what, tag)
  })
}

const hidesOnPages: Rule = {
  id: "secrets-on-pages",
  section: "2 SessionInfo",
  says: "The list of sessions shows no secret, on any of its pages.",
  check: Effect.gen(function* () {
    const { agent, newTag } = yield* Subject
    const option = agent.options?.find(({ type }) => type === "secret")
    if (option === undefined) return yield* notApplicable("the agent has no secret option")
    const secret = `secret-${newTag()}`
    const one = Sessions.open({ agent: { options: { [option.name]: secret } } })
    yield* Effect.forEach(Array.from({ length: many }), () => one, { concurrency: 4 })
    for (const [index, { text }] of (yield* pages).entries()) {
      yield* expect(!text.includes(secret), `page ${index + 1} of the list of sessions shows a secret`)
    }
  })
}

/** The rules of options, beside how they are shown and merged. */
export const rules: ReadonlyArray<Rule> = [fillsIn, chooses, hidesOnPages]
