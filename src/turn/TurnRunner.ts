import { Context, Effect, Layer, Option, Result, Schema, type Stream } from "effect"
import type { OnDisconnect } from "../agent/Agent.ts"
import { AgentCatalog, type CatalogedAgent } from "../agent/AgentCatalog.ts"
import * as CapabilityCheck from "../agent/CapabilityCheck.ts"
import * as SessionSetup from "../agent/SessionSetup.ts"
import type { SetupRejected } from "../agent/SetupRejected.ts"
import { Ids } from "../history/Ids.ts"
import { open } from "../history/PendingCall.ts"
import type { Slot } from "../history/Slot.ts"
import * as ToolOutcome from "../history/ToolOutcome.ts"
import * as ChatCall from "../model/ChatCall.ts"
import { ChatModel } from "../model/ChatModel.ts"
import type { SessionId } from "../protocol/Session.ts"
import type { StreamMode, TurnRequest } from "../protocol/Turn.ts"
import type { TurnEvent } from "../protocol/TurnEvent.ts"
import type { RequestKey } from "../session/KeyedTurn.ts"
import type { TooManyTurns } from "../session/Limits.ts"
import type { Principal, Session } from "../session/Session.ts"
import {
  type Acceptance,
  type RequestRepeated,
  type SessionNotFound,
  SessionStore,
  type StoreError,
  type TurnInProgress
} from "../session/SessionStore.ts"
import { ToolRegistry } from "../tool/ToolRegistry.ts"
import { Compaction } from "./Compaction.ts"
import * as RepeatedTurn from "./RepeatedTurn.ts"
import * as Submission from "./Submission.ts"
import * as TurnLoop from "./TurnLoop.ts"

/** The session's agent is not served here any more. */
export class AgentGone extends Schema.TaggedError<AgentGone>()("AgentGone", { agent: Schema.String }) {
  override get message() {
    return `this server has no agent ${this.agent} any more; the session can be read and deleted, not continued`
  }
}

/** Why a request does not fit the session as it is. */
type Misfit = AgentGone | SetupRejected | Submission.PendingToolCalls | Submission.InvalidMessage

/** Why a turn was not accepted. Nothing was changed. */
export type TurnRejected = SessionNotFound | TurnInProgress | RequestRepeated | TooManyTurns | Misfit | StoreError

/**
 * An accepted turn: it holds its session's lease until its stream ends. Whoever takes it runs `events` once, and runs
 * `abandon` if that run does not reach its end.
 */
export interface Turn {
  readonly mode: StreamMode
  readonly onDisconnect: OnDisconnect
  /** All events, `turn_start` first and `turn_stop` last. It never fails; whatever goes wrong is told in it. */
  readonly events: Stream.Stream<TurnEvent>
  /**
   * Ends a turn whose stream was interrupted, or never run: keeps what was finished and said, closes what was not, and
   * gives the lease back. Answers the events that were still to come, `turn_stop` last. Safe to run twice.
   */
  readonly abandon: Effect.Effect<ReadonlyArray<TurnEvent>>
  /**
   * Runs an effect as a part of the turn: its log lines name the turn and its session, and quote nothing that is said. Whoever
   * runs `events` and `abandon` runs them in here, once around all, so that it costs no delta anything.
   */
  readonly within: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** How denials read in the history. The default is the protocol's English wording. */
export const DenialText = Context.Reference<ToolOutcome.DenialText>("effect-aap/DenialText", {
  defaultValue: () => ToolOutcome.denialText
})

/** What the runner decides about a request, besides what the store shall write. */
interface Decision extends Acceptance {
  readonly agent: CatalogedAgent
  readonly setup: SessionSetup.SessionSetup
  readonly decided: ReadonlyArray<Slot>
}

const decide = (
  agent: CatalogedAgent | undefined,
  session: Session,
  request: TurnRequest,
  denial: ToolOutcome.DenialText
): Result.Result<Decision, Misfit> =>
  Result.gen(function* () {
    if (agent === undefined) return yield* Result.fail(new AgentGone({ agent: session.agent.name }))
    yield* CapabilityCheck.streamMode(agent.agent.capabilities, request.stream ?? "none")
    yield* CapabilityCheck.images(agent.agent.capabilities, request.messages)
    const setup = yield* SessionSetup.change(agent, SessionSetup.ofSession(session), {
      serverTools: request.agent?.tools,
      options: request.agent?.options,
      clientTools: request.tools
    })
    const { append, server } = yield* Submission.check(open(session.pending), request.messages, denial)
    return { agent, setup, session: SessionSetup.apply(session, setup), append, decided: server, told: server }
  })

/** Runs turns. */
export class TurnRunner extends Context.Service<
  TurnRunner,
  {
    /**
     * Takes the session, checks the request against it, and stores the application's messages, in one transaction. A
     * request that was sent before under its key joins the turn that it began: it is told again what that turn tells.
     */
    readonly accept: (
      owner: Principal,
      id: SessionId,
      request: TurnRequest,
      keyed?: RequestKey
    ) => Effect.Effect<Turn, TurnRejected>
  }
>()("effect-aap/TurnRunner") {
  /** The runner over the four ports. */
  static readonly layer: Layer.Layer<TurnRunner, never, AgentCatalog | ChatModel | SessionStore | ToolRegistry> =
    Layer.effect(
      TurnRunner,
      Effect.gen(function* () {
        const catalog = yield* AgentCatalog
        const store = yield* SessionStore
        const ports: TurnLoop.TurnPorts = {
          model: ChatCall.observed(yield* ChatModel),
          tools: yield* ToolRegistry,
          store,
          ids: yield* Ids,
          compactor: yield* Compaction
        }
        const denial = yield* DenialText
        const accept = Effect.fnUntraced(function* (
          owner: Principal,
          id: SessionId,
          request: TurnRequest,
          keyed?: RequestKey
        ): Effect.fn.Return<Turn, TurnRejected> {
          const mode = request.stream ?? "none"
          const taken = yield* store
            .accept(
              owner,
              id,
              (session) =>
                Result.map(decide(catalog.get(session.agent.name), session, request, denial), (decision) =>
                  keyed === undefined ? decision : { ...decision, keyed }
                ),
              keyed
            )
            .pipe(
              Effect.asSome,
              Effect.catchTag("RequestRepeated", (repeated) =>
                repeated.isSame ? Effect.succeedNone : Effect.fail(repeated)
              )
            )
          if (Option.isNone(taken)) {
            yield* Effect.annotateCurrentSpan({ "gen_ai.conversation.id": id, "aap.turn.repeated": true })
            return RepeatedTurn.make(store, owner, id, keyed?.key ?? "", mode)
          }
          const accepted = taken.value
          const { agent, decided, setup } = accepted.acceptance
          return {
            mode,
            onDisconnect: agent.agent.onDisconnect,
            ...TurnLoop.make(ports, { owner, agent, setup, accepted, decided })
          }
        })
        return TurnRunner.of({ accept })
      })
    )
}
