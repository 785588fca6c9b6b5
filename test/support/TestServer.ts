import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import * as Agent from "../../src/agent/Agent.ts"
import { AgentCatalog } from "../../src/agent/AgentCatalog.ts"
import { Ids } from "../../src/history/Ids.ts"
import type { ChatModel } from "../../src/model/ChatModel.ts"
import * as Scripted from "../../src/model/Scripted.ts"
import * as Server from "../../src/server/Server.ts"
import * as MemorySessionStore from "../../src/session/MemorySessionStore.ts"
import type { SessionStore } from "../../src/session/SessionStore.ts"
import { ToolRegistry } from "../../src/tool/ToolRegistry.ts"

/** What a test server is made of; the rest is a scripted model, no tools, and sessions in memory. */
export interface TestServerOptions {
  readonly model?: Layer.Layer<ChatModel>
  readonly store?: Layer.Layer<SessionStore>
  readonly tools?: Layer.Layer<ToolRegistry>
  readonly agents?: ReadonlyArray<Agent.Agent>
  readonly server?: Server.ServerOptions
  /** Keys of a database, and a limit of requests. */
  readonly tenancy?: Layer.Layer<never>
}

/** Ids that a test can foretell: `call_001`, `call_002`, `sess_001`… */
const countedIds = Layer.sync(Ids, () => {
  const counts = { call: 0, sess: 0 }
  return { next: (prefix: "call" | "sess") => `${prefix}_${String(++counts[prefix]).padStart(3, "0")}` }
})

/** A server on a free port of loopback. */
export const testServer = (options: TestServerOptions = {}) =>
  Server.layer({ port: 0, drainTimeout: "100 millis", ...options.server }).pipe(
    Layer.provideMerge(AgentCatalog.layer(...(options.agents ?? [Agent.make({ name: "agent", instructions: "" })]))),
    Layer.provideMerge(options.tools ?? ToolRegistry.layer()),
    Layer.provideMerge(options.model ?? Scripted.layer(() => Scripted.text("Hello, ", "world."))),
    Layer.provideMerge(options.store ?? MemorySessionStore.layer()),
    Layer.provideMerge(options.tenancy ?? Layer.empty),
    Layer.provideMerge(countedIds)
  )

/** Where the server is. */
export const baseUrl = Effect.map(HttpServer.HttpServer, ({ address }) => HttpServer.formatAddress(address))

/** An answer, read to its end. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: unknown
}

/** A request as a test makes it. A body that is no string is sent as JSON. */
export interface Ask {
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

const toInit = ({ body, headers = {}, method }: Ask): RequestInit => ({
  method: method ?? (body === undefined ? "GET" : "POST"),
  headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
  ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
})

const parse = (text: string): unknown => (text.startsWith("{") ? JSON.parse(text) : undefined)

/** Asks the server, and reads the whole answer. */
export const ask = (path: string, how: Ask = {}) =>
  Effect.flatMap(baseUrl, (base) =>
    Effect.promise(async (signal): Promise<Answer> => {
      const response = await fetch(`${base}${path}`, { ...toInit(how), signal })
      const text = await response.text()
      return { status: response.status, headers: response.headers, text, json: parse(text) }
    })
  )

/** Opens a session and gives its id. */
export const openSession = (body: object = { agent: { name: "agent" } }) =>
  Effect.map(ask("/sessions", { body }), ({ json, status, text }) => {
    if (status !== 201) throw new Error(text)
    return (json as { readonly sessionId: string }).sessionId
  })

/** Takes a turn. */
export const takeTurn = (id: string, body: object) => ask(`/sessions/${id}/turns`, { body })

/** A turn whose one message is the user's. */
export const says = (content: string, rest: object = {}) => ({ ...rest, messages: [{ role: "user", content }] })
