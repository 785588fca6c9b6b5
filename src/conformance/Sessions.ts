import { Effect, Option, Schema } from "effect"
import type { Scope } from "effect"
import type { HistoryMessage } from "../protocol/Message.ts"
import { SessionCreated, SessionInfo } from "../protocol/Session.ts"
import { AgentServer, type Ask } from "./AgentServer.ts"
import * as Asking from "./Asking.ts"
import type { RuleBroken } from "./Rule.ts"
import { Subject } from "./Subject.ts"

/** Where a session stands. */
export const pathOf = (id: string): string => `/sessions/${encodeURIComponent(id)}`

/** A session that an answer tells of; none where it does not. */
const Made = Schema.Struct({ sessionId: Schema.String })

/**
 * Asks for something that may make a session, and gives whatever is answered. The session is deleted with the scope, if it
 * is there by then, also where the check is interrupted while it is made.
 */
export const askToMake = Effect.fnUntraced(function* (ask: Ask) {
  const server = yield* AgentServer
  return yield* Effect.acquireRelease(server.ask(ask), ({ json }) =>
    Option.match(Option.flatMap(json, Schema.decodeUnknownOption(Made)), {
      onNone: () => Effect.void,
      onSome: ({ sessionId }) => server.discard(pathOf(sessionId))
    })
  )
})

/** Makes a session, and gives its id. */
export const create = Effect.fnUntraced(function* (body: object) {
  const answer = yield* askToMake({ method: "POST", path: "/sessions", body })
  yield* Asking.expectStatus(answer, 201)
  const { sessionId } = yield* Asking.bodyOf(SessionCreated, answer)
  return sessionId
})

/** Opens a session with the agent, set up as told; it is deleted with the scope. */
export const open = Effect.fnUntraced(function* ({
  agent = {},
  ...rest
}: {
  readonly agent?: object
  readonly messages?: ReadonlyArray<HistoryMessage>
  readonly tools?: ReadonlyArray<object>
} = {}): Effect.fn.Return<string, RuleBroken, AgentServer | Subject | Scope.Scope> {
  const subject = yield* Subject
  return yield* create({ agent: { name: subject.agent.name, ...agent }, ...rest })
})

/** What the server says of a session. */
export const info = (id: string) =>
  Effect.flatMap(Asking.ask({ method: "GET", path: pathOf(id) }, 200), (answer) => Asking.bodyOf(SessionInfo, answer))
