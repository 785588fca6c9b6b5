import { Effect } from "effect"
import { SessionPage } from "../../protocol/Session.ts"
import type { ServerToolRef } from "../../protocol/Tool.ts"
import { AgentServer } from "../AgentServer.ts"
import * as Asking from "../Asking.ts"
import * as Cue from "../Cue.ts"
import * as Fed from "../Fed.ts"
import * as Histories from "../Histories.ts"
import { ModelControl } from "../ModelControl.ts"
import { clientTool, needsClientTools, serverTool } from "../CheckTools.ts"
import { expect, expectSame, notApplicable, quoted, type Rule } from "../Rule.ts"
import * as Sessions from "../Sessions.ts"
import { Subject } from "../Subject.ts"
import * as ToldTurn from "../ToldTurn.ts"
import * as Turns from "../Turns.ts"

const trusts = (tools: ReadonlyArray<ServerToolRef> = []) => tools.map(({ name, trust = false }) => ({ name, trust }))

const keepsSetup: Rule = {
  id: "session-setup",
  section: "2 SessionInfo",
  says: "A session is shown as it was set up: its server tools with their trust, and the application's tools.",
  check: Effect.gen(function* () {
    const { name } = yield* serverTool
    yield* needsClientTools
    const tools = [clientTool("aap_lookup")]
    const info = yield* Sessions.info(yield* Sessions.open({ agent: { tools: [{ name, trust: true }] }, tools }))
    yield* expectSame("agent.tools", trusts(info.agent.tools), [{ name, trust: true }])
    yield* expectSame("tools", info.tools, tools)
    const untrusted = yield* Sessions.info(yield* Sessions.open({ agent: { tools: [{ name }] } }))
    yield* expectSame("agent.tools", trusts(untrusted.agent.tools), [{ name, trust: false }])
  })
}

const hidesSecrets: Rule = {
  id: "secrets",
  section: "2 SessionInfo",
  says: "The value of a secret option reads *** wherever the session is shown.",
  check: Effect.gen(function* () {
    const { agent, newTag } = yield* Subject
    const option = agent.options?.find(({ type }) => type === "secret")
    if (option === undefined) return yield* notApplicable("the agent has no secret option")
    const secret = `secret-${newTag()}`
    const id = yield* Sessions.open({ agent: { options: { [option.name]: secret } } })
    yield* expectSame(`the option ${option.name}`, (yield* Sessions.info(id)).agent.options?.[option.name], "***")
    const list = yield* Asking.ask({ method: "GET", path: "/sessions" }, 200)
    yield* Asking.bodyOf(SessionPage, list)
    yield* expect(!list.text.includes(secret), "the list of sessions shows the secret")
    const other = `secret-${newTag()}`
    const { message } = yield* Cue.make([{ text: ["ok"] }])
    const { answer } = yield* Turns.take(id, [message], { agent: { options: { [option.name]: other } } })
    const shown = yield* Asking.ask({ method: "GET", path: Sessions.pathOf(id) }, 200)
    yield* expect(!`${answer.text}${shown.text}`.includes(other), "the secret is shown once a turn has changed it")
  })
}

const mergesOptions: Rule = {
  id: "options",
  section: "2 POST turns body",
  says: "agent.options of a turn merges by key, and persists.",
  check: Effect.gen(function* () {
    const { agent } = yield* Subject
    const [first, second] = (agent.options ?? []).filter(({ type }) => type !== "secret")
    if (first === undefined || second === undefined) {
      return yield* notApplicable("the agent has fewer than two options that are no secrets")
    }
    const chosen = (option: typeof first) =>
      option.type === "select" ? (option.options.at(-1) ?? option.default) : "aap"
    const id = yield* Sessions.open({ agent: { options: { [first.name]: chosen(first) } } })
    const { message } = yield* Cue.make([{ text: ["ok"] }])
    yield* Turns.take(id, [message], { agent: { options: { [second.name]: chosen(second) } } })
    const { options = {} } = (yield* Sessions.info(id)).agent
    yield* expectSame(`the option ${first.name}`, options[first.name], chosen(first))
    yield* expectSame(`the option ${second.name}`, options[second.name], chosen(second))
  })
}

const replacesServerTools: Rule = {
  id: "server-tools-replaced",
  section: "2 POST turns body",
  says: "agent.tools of a turn replaces the server tools of the session, and persists.",
  check: Effect.gen(function* () {
    const { name } = yield* serverTool
    const id = yield* Sessions.open({ agent: { tools: [{ name, trust: true }] } })
    const { message, tag } = yield* Cue.make([{ text: ["ok"] }])
    yield* Turns.take(id, [message], { agent: { tools: [] } })
    yield* expectSame("agent.tools", trusts((yield* Sessions.info(id)).agent.tools), [])
    yield* expect(!(yield* Fed.lastAsked(tag)).tools.includes(name), `the model is still told of ${name}`)
    const again = yield* Cue.make([{ text: ["ok"] }])
    yield* Turns.take(id, [again.message], { agent: { tools: [{ name }] } })
    yield* expectSame("agent.tools", trusts((yield* Sessions.info(id)).agent.tools), [{ name, trust: false }])
    yield* expect((yield* Fed.lastAsked(again.tag)).tools.includes(name), `the model is not told of ${name}`)
  })
}

const replacesClientTools: Rule = {
  id: "client-tools-replaced",
  section: "2 POST turns body",
  says: "tools of a turn replaces the application's tools of the session, and persists.",
  check: Effect.gen(function* () {
    yield* needsClientTools
    const [before, after] = [clientTool("aap_before"), clientTool("aap_after")]
    const id = yield* Sessions.open({ tools: [before] })
    const first = yield* Cue.make([{ text: ["ok"] }])
    yield* Turns.take(id, [first.message], { tools: [after] })
    yield* expectSame("tools", (yield* Sessions.info(id)).tools, [after])
    const second = yield* Cue.make([{ text: ["ok"] }])
    yield* Turns.take(id, [second.message])
    const { tools } = yield* Fed.lastAsked(second.tag)
    yield* expect(
      tools.includes(after.name) && !tools.includes(before.name),
      `the model is told of ${quoted(tools)}; ${after.name} without ${before.name} would be right`
    )
  })
}

const switchesOff: Rule = {
  id: "server-tools-off",
  section: "2 What is left out",
  says: "Server tools that the session does not name are off: the model is not told of them.",
  check: Effect.gen(function* () {
    const { name } = yield* serverTool
    const off = yield* Cue.make([{ text: ["ok"] }])
    yield* Turns.take(yield* Sessions.open(), [off.message])
    yield* expect(!(yield* Fed.lastAsked(off.tag)).tools.includes(name), `the model is told of ${name}, which is off`)
    const on = yield* Cue.make([{ text: ["ok"] }])
    yield* Turns.take(yield* Sessions.open({ agent: { tools: [{ name }] } }), [on.message])
    yield* expect((yield* Fed.lastAsked(on.tag)).tools.includes(name), `the model is not told of ${name}, which is on`)
  })
}

const seeds: Rule = {
  id: "seeded-messages",
  section: "2 POST /sessions body",
  says: "Messages of POST /sessions seed the history: they are kept as they are, and the model is fed them.",
  check: Effect.gen(function* () {
    const messages = [
      { role: "user", content: "Which colour is the sky?" },
      { role: "assistant", content: "Blue, mostly." }
    ] as const
    const id = yield* Sessions.open({ messages })
    const { message, tag } = yield* Cue.make([{ text: ["ok"] }])
    yield* Turns.take(id, [message])
    const given = yield* Fed.messages(tag)
    for (const { content, role } of messages) {
      yield* expect(Fed.has(given, content, role), `the model is not fed what ${role} said: ${quoted(content)}`)
    }
    yield* expectSame("the history", (yield* Histories.of(id)).slice(0, 2), messages)
  })
}

const takesBlocks: Rule = {
  id: "content-blocks",
  section: "2 Messages",
  says: "What a user says may be a string or blocks.",
  check: Effect.gen(function* () {
    const id = yield* Sessions.open()
    const { message, tag } = yield* Cue.make([{ text: ["ok"] }])
    const text = { type: "text", text: "Two blocks:" } as const
    const content = [text, { type: "text", text: String(message.content) }] as const
    yield* Turns.takeTo("end_turn", id, [{ role: "user", content }])
    const given = yield* Fed.messages(tag)
    yield* expect(Fed.has(given, text.text, "user"), `the model is not fed the first block: ${quoted(given)}`)
    yield* expectSame("the first message of the history", (yield* Histories.of(id))[0], { role: "user", content })
  })
}

const keepsName: Rule = {
  id: "agent-name",
  section: "2 POST turns body",
  says: "The agent of a session cannot change.",
  check: Effect.gen(function* () {
    const { agent } = yield* Subject
    const { ask } = yield* AgentServer
    const id = yield* Sessions.open()
    const { message } = yield* Cue.make([{ text: ["ok"] }])
    const { body, ...turn } = Turns.ask(id, { messages: [message] })
    yield* ask({ ...turn, body: { ...Object(body), agent: { name: "aap-other-agent" } } })
    yield* expectSame("agent.name", (yield* Sessions.info(id)).agent.name, agent.name)
  })
}

const storesNoPermission: Rule = {
  id: "permissions-not-stored",
  section: "2 tool_permission",
  says: "A tool_permission message is never stored.",
  check: Effect.gen(function* () {
    const tool = yield* serverTool
    const id = yield* Sessions.open({ agent: { tools: [{ name: tool.name }] } })
    const { message } = yield* Cue.make([{ call: tool }], [{ text: ["ok"] }])
    const { toolCallId } = yield* ToldTurn.callOf(yield* Turns.takeTo("tool_use", id, [message]), tool.name)
    yield* Turns.take(id, [{ role: "tool_permission", toolCallId, granted: true }])
    yield* Histories.needs("full")
    const { text } = yield* Asking.ask({ method: "GET", path: `${Sessions.pathOf(id)}/history?type=full` }, 200)
    yield* expect(!text.includes('"tool_permission"'), "the history has a tool_permission message")
  })
}

const feedsTools: Rule = {
  id: "client-tools",
  section: "2 POST /sessions body",
  says: "The model is told of the application's tools by their names.",
  check: Effect.gen(function* () {
    yield* needsClientTools
    const { message, tag } = yield* Cue.make([{ text: ["ok"] }])
    yield* Turns.take(yield* Sessions.open({ tools: [clientTool("aap_lookup")] }), [message])
    const asked = yield* (yield* ModelControl).asked(tag)
    yield* expect(
      asked.length > 0 && asked.every(({ tools }) => tools.includes("aap_lookup")),
      `the model is told of ${quoted(asked.map(({ tools }) => tools))}, without aap_lookup`
    )
  })
}

/** The rules of what sessions, messages and tools look like. */
export const rules: ReadonlyArray<Rule> = [
  keepsSetup,
  hidesSecrets,
  mergesOptions,
  replacesServerTools,
  feedsTools,
  replacesClientTools,
  switchesOff,
  seeds,
  takesBlocks,
  keepsName,
  storesNoPermission
]
