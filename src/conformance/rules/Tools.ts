import { Effect } from "effect"
import * as Asking from "../Asking.ts"
import * as Cue from "../Cue.ts"
import { inEachMode } from "../EachMode.ts"
import { clientTool, needsClientTools, serverTool } from "../CheckTools.ts"
import * as Fed from "../Fed.ts"
import * as Histories from "../Histories.ts"
import { ModelControl } from "../ModelControl.ts"
import { AgentServer } from "../AgentServer.ts"
import { tells, textOf } from "../Plain.ts"
import { expectRefused, unrunTurn } from "../Refusal.ts"
import { expect, expectSame, quoted, type Rule } from "../Rule.ts"
import type { HistoryMessage } from "../../protocol/Message.ts"
import { SessionCreated } from "../../protocol/Session.ts"
import * as Sessions from "../Sessions.ts"
import { Subject } from "../Subject.ts"
import * as ToldTurn from "../ToldTurn.ts"
import * as Turns from "../Turns.ts"

const lookup = clientTool("aap_lookup")

const toolMessages = (messages: ReadonlyArray<HistoryMessage>) => messages.filter(({ role }) => role === "tool")

const callsClientTools: Rule = {
  id: "client-call",
  section: "3.3 Open calls",
  says: "A call of the application's tool ends the turn with tool_use; its result goes to the model, and the turn goes on.",
  check: Effect.gen(function* () {
    yield* needsClientTools
    const id = yield* Sessions.open({ tools: [lookup] })
    const { message, tag } = yield* Cue.make(
      [{ call: { name: lookup.name, input: { key: "sky" } } }],
      [{ text: ["It is blue."] }]
    )
    const call = yield* ToldTurn.callOf(yield* Turns.takeTo("tool_use", id, [message]), lookup.name)
    yield* expectSame("the input of the call", call.input, { key: "sky" })
    const { toolCallId } = call
    const { messages } = yield* Turns.takeTo("end_turn", id, [{ role: "tool", toolCallId, content: "blue" }])
    yield* expectSame("what the turn added", messages, [{ role: "assistant", content: "It is blue." }])
    const given = yield* Fed.messages(tag)
    yield* expect(Fed.has(Fed.latestResults(given), "blue"), `the model is not fed the result: ${quoted(given)}`)
    yield* expectSame("the results in the history", toolMessages(yield* Histories.of(id)), [
      { role: "tool", toolCallId, content: "blue" }
    ])
  })
}

const runsTrusted: Rule = {
  id: "trusted-call",
  section: "3.2 Trusted calls",
  says: "A call of a trusted server tool runs inline: its result comes, and the turn goes on without a stop.",
  check: Effect.gen(function* () {
    const tool = yield* serverTool
    const id = yield* Sessions.open({ agent: { tools: [{ name: tool.name, trust: true }] } })
    const { message, tag } = yield* Cue.make([{ call: tool }], [{ text: ["done"] }])
    const { messages } = yield* Turns.takeTo("end_turn", id, [message])
    yield* expectSame(
      "the roles of what the turn added",
      messages.map(({ role }) => role),
      ["assistant", "tool", "assistant"]
    )
    const given = yield* Fed.messages(tag)
    yield* expect(Fed.latestResults(given).length > 0, `the model is not fed the result: ${quoted(given)}`)
    yield* expectSame("the history", (yield* Histories.of(id)).slice(1), messages)
  })
}

const waitsForPermission: Rule = {
  id: "untrusted-call",
  section: "3.3 Open calls",
  says: "A call of an untrusted server tool waits: the turn stops with tool_use and has no result of it.",
  check: Effect.gen(function* () {
    const tool = yield* serverTool
    const id = yield* Sessions.open({ agent: { tools: [{ name: tool.name }] } })
    const { message } = yield* Cue.make([{ call: tool }], [{ text: ["done"] }])
    const { messages } = yield* Turns.takeTo("tool_use", id, [message])
    yield* expectSame("the results of the turn", toolMessages(messages), [])
    yield* expectSame("the results in the history", toolMessages(yield* Histories.of(id)), [])
  })
}

const runsGranted: Rule = {
  id: "granted-call",
  section: "3.5 Decisions",
  says: "A granted call runs first; its result is announced, in none's messages and in the history, and the turn goes on.",
  check: Effect.gen(function* () {
    const tool = yield* serverTool
    const id = yield* Sessions.open({ agent: { tools: [{ name: tool.name }] } })
    const { message } = yield* Cue.make([{ call: tool }], [{ text: ["done"] }])
    const { toolCallId } = yield* ToldTurn.callOf(yield* Turns.takeTo("tool_use", id, [message]), tool.name)
    const { messages } = yield* Turns.takeTo("end_turn", id, [{ role: "tool_permission", toolCallId, granted: true }])
    const [result, said, ...more] = messages
    yield* expect(
      result?.role === "tool" && result.toolCallId === toolCallId && more.length === 0,
      `the turn adds ${quoted(messages)}; the result and then the answer would be right`
    )
    yield* expectSame("the answer", said, { role: "assistant", content: "done" })
    yield* expectSame("the history", (yield* Histories.of(id)).slice(2), messages)
  })
}

const tellsDenied: Rule = {
  id: "denied-call",
  section: "3.5 Decisions",
  says: "A denied call does not run: the history and the model are told so, with the reason, and the turn goes on.",
  check: Effect.gen(function* () {
    const tool = yield* serverTool
    const id = yield* Sessions.open({ agent: { tools: [{ name: tool.name }] } })
    const { message, tag } = yield* Cue.make([{ call: tool }], [{ text: ["understood"] }])
    const { toolCallId } = yield* ToldTurn.callOf(yield* Turns.takeTo("tool_use", id, [message]), tool.name)
    const reason = "it is not the time"
    yield* Turns.takeTo("end_turn", id, [{ role: "tool_permission", toolCallId, granted: false, reason }])
    const results = Fed.latestResults(yield* Fed.messages(tag))
    yield* expect(Fed.has(results, reason), `the model is told ${quoted(results)}, without the reason`)
    const [told, ...more] = toolMessages(yield* Histories.of(id))
    yield* expect(
      more.length === 0 && told?.role === "tool" && told.toolCallId === toolCallId && tells(textOf(told), reason),
      `the history has ${quoted(told)}; one tool message with the reason would be right`
    )
  })
}

const announcesFirst: Rule = {
  id: "calls-first",
  section: "3.1 Calls first",
  says: "All calls of a step are announced before any result of it.",
  check: Effect.gen(function* () {
    const tool = yield* serverTool
    const { modes } = yield* Subject
    const stream = modes.find((mode) => mode !== "none")
    if (stream === undefined) return yield* Turns.needsMode("delta")
    const id = yield* Sessions.open({ agent: { tools: [{ name: tool.name, trust: true }] } })
    const { message } = yield* Cue.make([{ call: tool }, { call: tool }], [{ text: ["done"] }])
    const { events } = yield* Turns.takeTo("end_turn", id, [message], { stream })
    const names = events.map(({ event }) => event).filter((name) => name === "tool_call" || name === "tool_result")
    yield* expectSame("the order of calls and results", names, ["tool_call", "tool_call", "tool_result", "tool_result"])
    const ids = events.flatMap((event) => (event.event === "tool_call" ? [event.data.toolCallId] : []))
    yield* expect(new Set(ids).size === 2, `two calls have the ids ${quoted(ids)}; each has its own`)
    const answered = events.flatMap((event) => (event.event === "tool_result" ? [event.data.toolCallId] : []))
    yield* expectSame("the ids that are answered", answered.toSorted(), ids.toSorted())
  })
}

const mixes: Rule = {
  id: "mixed-calls",
  section: "3.3 Open calls",
  says: "Trusted calls run before the stop; what is open is answered together, and then the turn goes on.",
  check: Effect.gen(function* () {
    yield* needsClientTools
    const tool = yield* serverTool
    const id = yield* Sessions.open({ agent: { tools: [{ name: tool.name, trust: true }] }, tools: [lookup] })
    const { message, tag } = yield* Cue.make(
      [{ call: tool }, { call: { name: lookup.name, input: { key: "sky" } } }],
      [{ text: ["done"] }]
    )
    const first = yield* Turns.takeTo("tool_use", id, [message])
    const own = yield* ToldTurn.callOf(first, tool.name)
    const open = yield* ToldTurn.callOf(first, lookup.name)
    const results = toolMessages(first.messages)
    yield* expectSame(
      "the calls that have a result before the stop",
      results.map((result) => result.role === "tool" && result.toolCallId),
      [own.toolCallId]
    )
    const { toolCallId } = open
    yield* Turns.takeTo("end_turn", id, [{ role: "tool", toolCallId, content: "blue" }])
    const messages = yield* Fed.messages(tag)
    yield* expect(
      messages.filter(({ role }) => role === "tool").length === 2,
      `the model is fed ${quoted(messages)}; the results of both calls would be right`
    )
  })
}

const mixesOpen: Rule = {
  id: "open-calls-together",
  section: "3.4 Answers together",
  says: "A client's call and an untrusted one of a step are open together, and are answered in one request.",
  check: Effect.gen(function* () {
    yield* needsClientTools
    const tool = yield* serverTool
    const id = yield* Sessions.open({ agent: { tools: [{ name: tool.name }] }, tools: [lookup] })
    const { message } = yield* Cue.make(
      [{ call: { name: lookup.name, input: { key: "sky" } } }, { call: tool }],
      [{ text: ["done"] }]
    )
    const first = yield* Turns.takeTo("tool_use", id, [message])
    const client = yield* ToldTurn.callOf(first, lookup.name)
    const server = yield* ToldTurn.callOf(first, tool.name)
    const { messages } = yield* Turns.takeTo("end_turn", id, [
      { role: "tool", toolCallId: client.toolCallId, content: "blue" },
      { role: "tool_permission", toolCallId: server.toolCallId, granted: true }
    ])
    yield* expectSame(
      "the roles of what the turn added",
      messages.map(({ role }) => role),
      ["tool", "assistant"]
    )
    const answered = toolMessages(yield* Histories.of(id)).map((result) => result.role === "tool" && result.toolCallId)
    yield* expectSame(
      "the calls with a result in the history",
      answered.toSorted(),
      [client.toolCallId, server.toolCallId].toSorted()
    )
  })
}

const echoesNoResult: Rule = {
  id: "no-echo",
  section: "3 Events",
  says: "tool_result is of server tools alone: what the application answers is not sent back to it.",
  check: Effect.gen(function* () {
    yield* needsClientTools
    const { modes } = yield* Subject
    const stream = modes.find((mode) => mode !== "none")
    if (stream === undefined) return yield* Turns.needsMode("delta")
    const id = yield* Sessions.open({ tools: [lookup] })
    const { message } = yield* Cue.make([{ call: { name: lookup.name, input: { key: "sky" } } }], [{ text: ["done"] }])
    const { toolCallId } = yield* ToldTurn.callOf(
      yield* Turns.takeTo("tool_use", id, [message], { stream }),
      lookup.name
    )
    const { events } = yield* Turns.takeTo("end_turn", id, [{ role: "tool", toolCallId, content: "blue" }], { stream })
    const echoed = events.some(({ event }) => event === "tool_result")
    yield* expect(!echoed, "the stream has a tool_result of the application's own tool")
  })
}

const keepsNamesApart: Rule = {
  id: "unique-names",
  section: "3 Names of tools",
  says: "Names of tools are unique: a request in which the application's tool has the name of a server tool is refused.",
  check: Effect.gen(function* () {
    yield* needsClientTools
    const { name } = yield* serverTool
    const { agent } = yield* Subject
    const what = `two tools named ${name}`
    const body = { agent: { name: agent.name, tools: [{ name }] }, tools: [clientTool(name)] }
    const answer = yield* Sessions.askToMake({ method: "POST", path: "/sessions", body })
    if (answer.status !== 201) return yield* expectRefused(what, answer)
    // What is refused by the turn runs as little.
    const { sessionId } = yield* Asking.bodyOf(SessionCreated, answer)
    const { message, tag } = yield* Cue.make([{ text: ["ok"] }])
    yield* unrunTurn(what, sessionId, tag, { messages: [message] })
  })
}

const runsOnce: Rule = {
  id: "answered-once",
  section: "3.4 Answers together",
  says: "A call that has its result is open no more: it is not run again.",
  check: Effect.gen(function* () {
    const tool = yield* serverTool
    const { ask } = yield* AgentServer
    const id = yield* Sessions.open({ agent: { tools: [{ name: tool.name }] } })
    const { message, tag } = yield* Cue.make([{ call: tool }], [{ text: ["done"] }])
    const { toolCallId } = yield* ToldTurn.callOf(yield* Turns.takeTo("tool_use", id, [message]), tool.name)
    const grant = { role: "tool_permission", toolCallId, granted: true } as const
    yield* Turns.takeTo("end_turn", id, [grant])
    yield* ask(yield* Turns.ownAsk(id, { messages: [grant] }))
    const results = toolMessages(yield* Histories.of(id))
    yield* expect(results.length === 1, `the history has ${results.length} results of one call`)
    const asked = yield* (yield* ModelControl).asked(tag)
    yield* expect(asked.length <= 2, "the model is asked again by an answer to nothing")
  })
}

/** The rules of tools, whoever runs them. */
export const rules: ReadonlyArray<Rule> = [
  ...[callsClientTools, runsTrusted, waitsForPermission, runsGranted, tellsDenied, mixes, mixesOpen, runsOnce].map(
    inEachMode
  ),
  announcesFirst,
  echoesNoResult,
  keepsNamesApart
]
