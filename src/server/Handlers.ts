import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AgentCatalog } from "../agent/AgentCatalog.ts"
import * as SessionSetup from "../agent/SessionSetup.ts"
import { SetupRejected } from "../agent/SetupRejected.ts"
import { Ids } from "../history/Ids.ts"
import { Api } from "../protocol/Api.ts"
import { Caller } from "../protocol/Authorization.ts"
import { CreateSession, SessionId, type SessionInfo } from "../protocol/Session.ts"
import { TurnRequest } from "../protocol/Turn.ts"
import { Principal, type Session } from "../session/Session.ts"
import { SessionStore } from "../session/SessionStore.ts"
import * as NewSession from "../turn/NewSession.ts"
import { TurnRunner } from "../turn/TurnRunner.ts"
import { answered } from "./ErrorResponses.ts"
import * as IdempotencyKey from "./IdempotencyKey.ts"
import * as RequestBody from "./RequestBody.ts"
import { HistoryNotSupported } from "./RequestErrors.ts"
import * as RequestTexts from "./RequestTexts.ts"
import * as TurnResponses from "./TurnResponses.ts"

/** How many sessions a page of the list has. */
const pageSize = 50

const principal = Effect.map(Caller, ({ name }) => Principal.make(name))

/** The seven endpoints over the ports. */
export const handlers = HttpApiBuilder.group(
  Api,
  "protocol",
  Effect.fnUntraced(function* (handlers) {
    const catalog = yield* AgentCatalog
    const store = yield* SessionStore
    const runner = yield* TurnRunner
    const ids = yield* Ids

    const toInfo = ({ agent, id, tools }: Session): SessionInfo => {
      const options = catalog.get(agent.name)?.agent.options ?? []
      return {
        sessionId: id,
        agent: { ...agent, options: SessionSetup.redact(options, agent.options ?? {}) },
        ...(tools.length === 0 ? {} : { tools })
      }
    }

    const listSessions = Effect.fnUntraced(function* (after: string | undefined) {
      const page = { limit: pageSize, ...(after === undefined ? {} : { after }) }
      const { sessions, ...next } = yield* store.list(yield* principal, page)
      return { sessions: sessions.map(toInfo), ...next }
    })

    const createSession = Effect.gen(function* () {
      const request = yield* RequestBody.decode(CreateSession)
      yield* RequestTexts.keep(request)
      const agent = catalog.get(request.agent.name)
      if (agent === undefined) {
        const names = catalog.meta.agents.map(({ name }) => name).join(", ") || "none"
        const message = `there is no agent ${request.agent.name}; the agents are: ${names}`
        return yield* new SetupRejected({ code: "unknown_agent", path: "agent.name", message })
      }
      const id = SessionId.make(ids.next("sess"))
      const { history, session } = yield* Effect.fromResult(NewSession.make(agent, id, request))
      const keyed = yield* IdempotencyKey.read(request)
      return { sessionId: yield* store.create(yield* principal, session, history, keyed) }
    })

    const getHistory = Effect.fnUntraced(function* (id: SessionId, type: "full" | "compacted") {
      const owner = yield* principal
      const session = yield* store.get(owner, id)
      const agent = catalog.get(session.agent.name)?.agent
      const shown = agent === undefined ? { full: {} } : (agent.capabilities.history ?? {})
      if (shown[type] === undefined) return yield* new HistoryNotSupported({ type })
      const entries = yield* type === "full" ? store.history(owner, id) : store.compacted(owner, id)
      const messages = entries.map((entry) => entry.message)
      return { history: type === "full" ? { full: messages } : { compacted: messages } }
    })

    const turn = Effect.fnUntraced(function* (id: SessionId) {
      const owner = yield* principal
      yield* store.get(owner, id)
      const request = yield* RequestBody.decode(TurnRequest)
      yield* RequestTexts.keep(request)
      const accept = runner.accept(owner, id, request, yield* IdempotencyKey.read(request))
      const mode = request.stream ?? "none"
      return yield* mode === "none" ? TurnResponses.json(accept) : TurnResponses.sse(mode, accept)
    })

    return handlers
      .handle("meta", () => Effect.succeed(catalog.meta))
      .handle("listSessions", ({ query }) => answered(listSessions(query.after)))
      .handleRaw("createSession", () => answered(createSession))
      .handle("getSession", ({ params }) =>
        answered(Effect.flatMap(principal, (owner) => Effect.map(store.get(owner, params.id), toInfo)))
      )
      .handle("deleteSession", ({ params }) =>
        answered(Effect.flatMap(principal, (owner) => store.remove(owner, params.id)))
      )
      .handle("getHistory", ({ params, query }) => answered(getHistory(params.id, query.type)))
      .handleRaw("turn", ({ params }) => answered(turn(params.id)))
  })
)
