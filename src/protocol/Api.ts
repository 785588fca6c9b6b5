import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Meta } from "./Agent.ts"
import { Authorization } from "./Authorization.ts"
import { ErrorBody } from "./ErrorBody.ts"
import { CreateSession, History, HistoryType, SessionCreated, SessionId, SessionInfo, SessionPage } from "./Session.ts"
import { TurnRequest, TurnResponse } from "./Turn.ts"

const errors = (...statuses: ReadonlyArray<number>) =>
  statuses.map((status) => ErrorBody.pipe(HttpApiSchema.status(status)))

const described = (summary: string, description: string) => OpenApi.annotations({ summary, description })

const sessionParams = { id: SessionId }

const meta = HttpApiEndpoint.get("meta", "/meta", { success: Meta, error: errors(429, 500, 503) }).annotateMerge(
  described(
    "The agents of this server",
    "What each agent is called, which tools and options it has, and what it can do."
  )
)

const listSessions = HttpApiEndpoint.get("listSessions", "/sessions", {
  query: { after: Schema.optional(Schema.String) },
  success: SessionPage,
  error: errors(400, 404, 429, 503)
}).annotateMerge(
  described(
    "The caller's sessions",
    "Newest first, a page at a time; pass `next` of a page as `after` for the one behind it."
  )
)

const createSession = HttpApiEndpoint.post("createSession", "/sessions", {
  payload: CreateSession,
  success: SessionCreated.pipe(HttpApiSchema.status(201)),
  error: errors(400, 409, 413, 415, 422, 429, 503)
}).annotateMerge(
  described(
    "Open a session",
    "Sets up an agent for the caller, with messages to begin with if there are any. It does not run. " +
      "Sent again under the same `Idempotency-Key`, it gives the same session."
  )
)

const getSession = HttpApiEndpoint.get("getSession", "/sessions/:id", {
  params: sessionParams,
  success: SessionInfo,
  error: errors(404, 429, 503)
}).annotateMerge(described("A session", "How it is set up. The values of secret options read `***`."))

const deleteSession = HttpApiEndpoint.delete("deleteSession", "/sessions/:id", {
  params: sessionParams,
  success: HttpApiSchema.NoContent,
  error: errors(404, 429, 503)
}).annotateMerge(
  described("Delete a session", "With its history, and at once: a turn that runs on it ends with `error`.")
)

const getHistory = HttpApiEndpoint.get("getHistory", "/sessions/:id/history", {
  params: sessionParams,
  query: { type: HistoryType },
  success: History,
  error: errors(400, 404, 429, 503)
}).annotateMerge(
  described(
    "A session's history",
    "`full`: all that was said. `compacted`: what the model is fed. As far as the agent declares it."
  )
)

const turn = HttpApiEndpoint.post("turn", "/sessions/:id/turns", {
  params: sessionParams,
  payload: TurnRequest,
  success: [TurnResponse, Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/event-stream" }))],
  error: errors(400, 404, 409, 413, 415, 422, 429, 503)
}).annotateMerge(
  described(
    "Take a turn",
    "Sends messages and runs the agent. `stream` says how it answers: `delta` and `message` as server-sent events, from " +
      "`turn_start` to `turn_stop`; `none`, the default, as one JSON body. While calls are open, answer all of them together. " +
      "Sent again under the same `Idempotency-Key`, it gives the same answer and runs nothing."
  )
)

const protocol = HttpApiGroup.make("protocol", { topLevel: true })
  .add(meta, listSessions, createSession, getSession, deleteSession, getHistory, turn)
  .middleware(Authorization)

/** The Agent Application Protocol, version 3: seven endpoints, relative to any base URL. */
export const Api = HttpApi.make("agent-application-protocol")
  .add(protocol)
  .annotateMerge(
    OpenApi.annotations({
      title: "Agent Application Protocol",
      version: "3",
      description: "An application opens sessions with agents and takes turns with them."
    })
  )
