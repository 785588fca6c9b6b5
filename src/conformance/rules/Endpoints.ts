import { Effect, Option, Schema } from "effect"
import { Meta } from "../../protocol/Agent.ts"
import type { Ask } from "../AgentServer.ts"
import * as Asking from "../Asking.ts"
import * as Cue from "../Cue.ts"
import { ModelControl } from "../ModelControl.ts"
import { expect, expectSame, notApplicable, quoted, type Rule } from "../Rule.ts"
import { listed, many } from "../SessionList.ts"
import * as Sessions from "../Sessions.ts"
import { Subject } from "../Subject.ts"
import * as Turns from "../Turns.ts"

const answersMeta: Rule = {
  id: "meta",
  section: "1 GET /meta",
  says: "GET /meta answers 200 with version 3 and the agents.",
  check: Effect.gen(function* () {
    const { agent } = yield* Subject
    const { agents } = yield* Effect.flatMap(Asking.ask({ method: "GET", path: "/meta" }, 200), (answer) =>
      Asking.bodyOf(Meta, answer)
    )
    const names = agents.map(({ name }) => name)
    yield* expect(names.includes(agent.name), `the agents are ${quoted(names)}, without ${agent.name}`)
    yield* expect(new Set(names).size === names.length, `an agent is there twice: ${quoted(names)}`)
  })
}

const creates: Rule = {
  id: "create-session",
  section: "1 POST /sessions",
  says: "POST /sessions answers 201 with the id of the session, and does not run the agent.",
  check: Effect.gen(function* () {
    const { message, tag } = yield* Cue.make([{ text: ["too early"] }])
    const { agent } = yield* Subject
    yield* Sessions.create({ agent: { name: agent.name }, messages: [message] })
    const asked = yield* (yield* ModelControl).asked(tag)
    yield* expect(asked.length === 0, "the model was asked; a session that is opened runs nothing")
  })
}

const shows: Rule = {
  id: "get-session",
  section: "1 GET /sessions/:id",
  says: "GET /sessions/:id answers 200 with the session.",
  check: Effect.gen(function* () {
    const { agent } = yield* Subject
    const id = yield* Sessions.open()
    const info = yield* Sessions.info(id)
    yield* expectSame("sessionId", info.sessionId, id)
    yield* expectSame("agent.name", info.agent.name, agent.name)
  })
}

const lists: Rule = {
  id: "list-sessions",
  section: "1 GET /sessions",
  says: "GET /sessions gives each session once, page after page; the last page has no next.",
  check: Effect.gen(function* () {
    const ids = yield* Effect.forEach(Array.from({ length: many }), () => Sessions.open(), { concurrency: 4 })
    const all = yield* listed
    const missing = ids.filter((id) => !all.includes(id))
    yield* expect(missing.length === 0, `${missing.length} of ${many} sessions are not listed, such as ${missing[0]}`)
    const twice = all.find((id, index) => all.indexOf(id) !== index)
    yield* expect(twice === undefined, `${twice} is listed twice`)
  })
}

const deletes: Rule = {
  id: "delete-session",
  section: "1 DELETE /sessions/:id",
  says: "DELETE /sessions/:id answers 204 with nothing; the session is no more.",
  check: Effect.gen(function* () {
    const id = yield* Sessions.open()
    const { bytes } = yield* Asking.ask({ method: "DELETE", path: Sessions.pathOf(id) }, 204)
    yield* expect(bytes.length === 0, `the answer has ${bytes.length} bytes; none would be right`)
    yield* Asking.ask({ method: "GET", path: Sessions.pathOf(id) }, 404)
    yield* expect(!(yield* listed).includes(id), "the session is still listed")
  })
}

const knowsNone: Rule = {
  id: "unknown-session",
  section: "1 Unknown session",
  says: "An unknown session is 404 at every endpoint.",
  check: Effect.gen(function* () {
    const id = yield* Sessions.open()
    yield* Asking.ask({ method: "DELETE", path: Sessions.pathOf(id) }, 204)
    const { message } = yield* Cue.make([])
    const asks: ReadonlyArray<Ask> = [
      { method: "GET", path: Sessions.pathOf(id) },
      { method: "DELETE", path: Sessions.pathOf(id) },
      { method: "GET", path: `${Sessions.pathOf(id)}/history?type=full` },
      yield* Turns.ownAsk(id, { messages: [message] })
    ]
    for (const ask of asks) yield* Asking.ask(ask, 404)
  })
}

const types = ["full", "compacted"] as const

const showsHistories: Rule = {
  id: "history-types",
  section: "1 History types",
  says: "A history that the agent declares is 200 under its own name; one that it does not declare is 404.",
  check: Effect.gen(function* () {
    const { agent } = yield* Subject
    const id = yield* Sessions.open()
    for (const type of types) {
      const isDeclared = agent.capabilities?.history?.[type] !== undefined
      const ask = { method: "GET", path: `${Sessions.pathOf(id)}/history?type=${type}` } as const
      const answer = yield* Asking.ask(ask, isDeclared ? 200 : 404)
      if (!isDeclared) continue
      const { history } = yield* Asking.bodyOf(
        Schema.Struct({ history: Schema.Record(Schema.String, Schema.Unknown) }),
        answer
      )
      const names = types.filter((type) => type in history)
      yield* expectSame("the names under history", names, [type])
    }
  })
}

const speaksJson: Rule = {
  id: "json",
  section: "1 JSON in UTF-8",
  says: "Answers are JSON in UTF-8.",
  check: Effect.gen(function* () {
    const id = yield* Sessions.open()
    const answers = yield* Effect.forEach(["/meta", "/sessions", Sessions.pathOf(id)], (path) =>
      Asking.ask({ method: "GET", path }, 200)
    )
    for (const { ask, bytes, contentType, json } of answers) {
      const charset = /charset="?([^";]+)/i.exec(contentType)?.[1] ?? "utf-8"
      yield* expect(
        /^application\/json\b/i.test(contentType) && /^utf-?8$/i.test(charset),
        `GET ${ask.path} is of the type ${quoted(contentType)}; application/json would be right`
      )
      const isUtf8 = Option.isSome(
        Option.liftThrowable(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes))()
      )
      yield* expect(isUtf8 && Option.isSome(json), `GET ${ask.path} is no JSON in UTF-8`)
    }
  })
}

const wantsKeys: Rule = {
  id: "authorization",
  section: "1 Authorization",
  says: "Every endpoint but /meta wants the key, and is 401 or 403 without it or with another one.",
  check: Effect.gen(function* () {
    const { hasKey } = yield* Subject
    if (!hasKey) return yield* notApplicable("the check was given no key")
    const { agent } = yield* Subject
    const id = yield* Sessions.open()
    const { message } = yield* Cue.make([])
    const asks: ReadonlyArray<Ask> = [
      { method: "GET", path: "/sessions" },
      { method: "POST", path: "/sessions", body: { agent: { name: agent.name } } },
      { method: "GET", path: Sessions.pathOf(id) },
      { method: "GET", path: `${Sessions.pathOf(id)}/history?type=full` },
      yield* Turns.ownAsk(id, { messages: [message] }),
      { method: "DELETE", path: Sessions.pathOf(id) }
    ]
    for (const key of [Option.none<string>(), Option.some("not-the-key")]) {
      for (const one of asks) {
        const { status } = yield* Sessions.askToMake({ ...one, key })
        const how = Option.isNone(key) ? "without a key" : "with another key"
        yield* expect(
          status === 401 || status === 403,
          `${one.method} ${one.path} answers ${status} ${how}; 401 would be right, or 403`
        )
      }
    }
    yield* Sessions.info(id)
  })
}

/** The rules of the endpoints: methods, paths and statuses. */
export const rules: ReadonlyArray<Rule> = [
  answersMeta,
  speaksJson,
  creates,
  shows,
  lists,
  deletes,
  knowsNone,
  showsHistories,
  wantsKeys
]
