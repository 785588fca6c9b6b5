import { Effect } from "effect"
import type { HistoryMessage } from "../../protocol/Message.ts"
import { clientTool, needsClientTools, serverTool } from "../CheckTools.ts"
import * as Cue from "../Cue.ts"
import { inEachMode } from "../EachMode.ts"
import * as Fed from "../Fed.ts"
import * as Histories from "../Histories.ts"
import { expect, expectSame, quoted, type Rule } from "../Rule.ts"
import * as Sessions from "../Sessions.ts"
import * as ToldTurn from "../ToldTurn.ts"
import * as Turns from "../Turns.ts"

const lookup = clientTool("aap_lookup")

const results = (messages: ReadonlyArray<HistoryMessage>) =>
  messages.flatMap((message) => (message.role === "tool" ? [message] : []))

/** A result without its numbers: two runs of a tool may differ in those. */
const shape = (content: unknown): string =>
  (typeof content === "string" ? content : JSON.stringify(content)).replaceAll(/\d+/g, "0")

const runsNoneOff: Rule = {
  id: "off-tool-not-run",
  section: "2 What is left out",
  says: "A server tool that is off is not run, though the model calls it.",
  check: Effect.gen(function* () {
    const tool = yield* serverTool
    const calling = Cue.make([{ call: tool }], [{ text: ["done"] }])
    const on = yield* Sessions.open({ agent: { tools: [{ name: tool.name, trust: true }] } })
    const run = yield* Turns.takeTo("end_turn", on, [(yield* calling).message])
    const shapes = results(run.messages).map(({ content }) => shape(content))
    const { message, tag } = yield* calling
    const { messages, stopReason } = yield* Turns.take(yield* Sessions.open(), [message])
    yield* expect(stopReason !== "tool_use", `the turn waits for an answer to a call of ${tool.name}, which is off`)
    const told = results(messages).map(({ content }) => content)
    const fed = (yield* Fed.messages(tag)).flatMap(({ role, text }) => (role === "tool" ? [text] : []))
    for (const result of [...told, ...fed]) {
      yield* expect(
        !shapes.includes(shape(result)),
        `${tool.name} is off, and a call of it has a result as if it was run: ${quoted(result)}`
      )
    }
  })
}

const runsEachOnce: Rule = {
  id: "trusted-calls-once",
  section: "3.2 Trusted calls",
  says: "Each trusted call of a step has its result once, in what is told, in the history, and for the model.",
  check: Effect.gen(function* () {
    const tool = yield* serverTool
    const id = yield* Sessions.open({ agent: { tools: [{ name: tool.name, trust: true }] } })
    const { message, tag } = yield* Cue.make([{ call: tool }, { call: tool }], [{ text: ["done"] }])
    const turn = yield* Turns.takeTo("end_turn", id, [message])
    const calls = ToldTurn.callsOf(turn).map(({ toolCallId }) => toolCallId)
    yield* expect(
      calls.length === 2 && new Set(calls).size === 2,
      `two calls of a step have the ids ${quoted(calls)}; two ids would be right`
    )
    const answered = results(turn.messages).map(({ toolCallId }) => toolCallId)
    yield* expectSame("the calls that have a result", answered.toSorted(), calls.toSorted())
    yield* expectSame(
      "the roles of what the turn added",
      turn.messages.map(({ role }) => role),
      ["assistant", "tool", "tool", "assistant"]
    )
    yield* Histories.expectKept(id, [message, ...turn.messages])
    const fed = (yield* Fed.messages(tag)).filter(({ role }) => role === "tool")
    yield* expect(
      fed.length === 2 && new Set(fed.map(({ answers }) => answers)).size === 2,
      `the model is fed the results ${quoted(fed)}; one of each of two calls would be right`
    )
  })
}

const keepsSetup: Rule = {
  id: "setup-persists",
  section: "2 POST turns body",
  says: "The tools of a session, and the trust in them, are the same in each of its turns.",
  check: Effect.gen(function* () {
    const tool = yield* serverTool
    yield* needsClientTools
    const id = yield* Sessions.open({ agent: { tools: [{ name: tool.name, trust: true }] }, tools: [lookup] })
    const before = yield* Sessions.info(id)
    for (const text of ["one", "two"]) {
      yield* Turns.takeTo("end_turn", id, [(yield* Cue.make([{ text: [text] }])).message])
    }
    const called = yield* Cue.make([{ call: tool }], [{ text: ["done"] }])
    yield* Turns.takeTo("end_turn", id, [called.message])
    const { tools } = yield* Fed.lastAsked(called.tag)
    for (const name of [tool.name, lookup.name]) {
      yield* expect(tools.includes(name), `the model is told of ${quoted(tools)} in a later turn, without ${name}`)
    }
    yield* expectSame("the session after three turns", yield* Sessions.info(id), before)
  })
}

/** The rules of which tools are run, and how often. */
export const rules: ReadonlyArray<Rule> = [runsNoneOff, inEachMode(runsEachOnce), keepsSetup]
