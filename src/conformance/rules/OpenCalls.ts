import { Effect } from "effect"
import type { ApplicationMessage } from "../../protocol/Message.ts"
import { clientTool, needsClientTools, serverTool } from "../CheckTools.ts"
import * as Cue from "../Cue.ts"
import { inEachMode } from "../EachMode.ts"
import * as Fed from "../Fed.ts"
import * as Histories from "../Histories.ts"
import { ModelControl } from "../ModelControl.ts"
import { tells } from "../Plain.ts"
import { refusedTurn } from "../Refusal.ts"
import { broken, expect, expectSame, quoted, type Rule } from "../Rule.ts"
import * as Sessions from "../Sessions.ts"
import * as ToldTurn from "../ToldTurn.ts"
import * as Turns from "../Turns.ts"

const lookup = clientTool("aap_lookup")

/** A session in which two calls of the application's tool are open. */
const twoOpen = Effect.gen(function* () {
  yield* needsClientTools
  const id = yield* Sessions.open({ tools: [lookup] })
  const call = (key: string) => ({ call: { name: lookup.name, input: { key } } })
  const { message, tag } = yield* Cue.make([call("sky"), call("sea")], [{ text: ["Both are blue."] }])
  const turn = yield* Turns.takeTo("tool_use", id, [message])
  const calls = ToldTurn.callsOf(turn)
  const answers = calls.map(
    ({ input, toolCallId }) => ({ role: "tool", toolCallId, content: `${input["key"]}-blue` }) as const
  )
  return { id, tag, answers, said: [message, ...turn.messages] }
})

/** Sends what must be refused while calls are open, and then answers them: nothing may be lost, and nothing has run. */
const refusedWhileOpen = Effect.fnUntraced(function* (
  what: string,
  pick: (answers: ReadonlyArray<ApplicationMessage>) => ReadonlyArray<ApplicationMessage>
) {
  const { answers, id, said, tag } = yield* twoOpen
  yield* refusedTurn(what, id, { messages: pick(answers) })
  yield* expect((yield* (yield* ModelControl).asked(tag)).length === 1, `the model is asked again by ${what}`)
  yield* Histories.expectKept(id, said)
  const { messages } = yield* Turns.takeTo("end_turn", id, answers)
  yield* expectSame("what the turn added", messages, [{ role: "assistant", content: "Both are blue." }])
  const given = yield* Fed.messages(tag)
  for (const { content } of answers) {
    yield* expect(Fed.has(given, content), `the model is not fed the result ${quoted(content)}: ${quoted(given)}`)
  }
})

const wantsAll: Rule = {
  id: "part-answered",
  section: "3.4 Answers together",
  says: "All open calls are answered together: a part of the answers is refused, and loses nothing.",
  check: refusedWhileOpen("the answer of one of two open calls", (answers) => answers.slice(0, 1))
}

const wantsAnswers: Rule = {
  id: "user-while-open",
  section: "3.4 Answers together",
  says: "While calls are open they are answered first: a user message alone is refused, and loses nothing.",
  check: Effect.gen(function* () {
    const { message, tag } = yield* Cue.make([{ text: ["too early"] }])
    yield* refusedWhileOpen("a user message while calls are open", () => [message])
    const asked = yield* (yield* ModelControl).asked(tag)
    yield* expect(asked.length === 0, "the model is fed a user message that is refused")
  })
}

const grantsOne: Rule = {
  id: "granted-beside-denied",
  section: "3.5 Decisions",
  says: "A permission is of one call: of two calls of a step the granted one runs, and the denied one does not.",
  check: Effect.gen(function* () {
    const tool = yield* serverTool
    const id = yield* Sessions.open({ agent: { tools: [{ name: tool.name }] } })
    const { message, tag } = yield* Cue.make([{ call: tool }, { call: tool }], [{ text: ["done"] }])
    const first = yield* Turns.takeTo("tool_use", id, [message])
    const [denied, granted] = ToldTurn.callsOf(first)
    if (denied === undefined || granted === undefined) {
      return yield* broken(`the turn has not both calls: ${quoted(first.messages)}`)
    }
    const reason = "once is enough"
    const { messages } = yield* Turns.takeTo("end_turn", id, [
      { role: "tool_permission", toolCallId: denied.toolCallId, granted: false, reason },
      { role: "tool_permission", toolCallId: granted.toolCallId, granted: true }
    ])
    /** What came of a call, as far as messages tell it. */
    const outcome = (toolCallId: string) =>
      messages.flatMap((message) =>
        message.role === "tool" && message.toolCallId === toolCallId ? [JSON.stringify(message.content)] : []
      )
    const ran = outcome(granted.toolCallId)
    yield* expect(
      ran.length === 1 && !ran.some((text) => tells(text, reason)),
      `the granted call has the results ${quoted(ran)}; one, of its run, would be right`
    )
    const told = outcome(denied.toolCallId)
    yield* expect(
      told.every((text) => tells(text, reason)),
      `the denied call has the results ${quoted(told)}; its denial alone would be right`
    )
    const given = (yield* Fed.messages(tag)).filter(({ role }) => role === "tool")
    yield* expect(
      given.length === 2 && given.filter(({ text }) => tells(text, reason)).length === 1,
      `the model is told ${quoted(given)} of two calls; one result and one denial would be right`
    )
  })
}

/** The rules of calls that wait for their answers. */
export const rules: ReadonlyArray<Rule> = [wantsAll, wantsAnswers, inEachMode(grantsOne)]
