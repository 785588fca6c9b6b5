import { Context, type Duration } from "effect"
import type { AgentInfo } from "../protocol/Agent.ts"
import type { JsonObject } from "../protocol/Content.ts"
import type { StreamMode } from "../protocol/Turn.ts"

/** A tool of the server that rules may have called, and with what. */
export interface SubjectTool {
  readonly name: string
  readonly input: JsonObject
}

/** The agent that is checked. */
export class Subject extends Context.Service<
  Subject,
  {
    readonly agent: AgentInfo
    readonly tool: SubjectTool | undefined
    /** How long an answer may take. */
    readonly patience: Duration.Duration
    /** Whether the server was given a key. */
    readonly hasKey: boolean
    /** The ways of answering that the agent declares. */
    readonly modes: ReadonlyArray<StreamMode>
    /** A tag that no script has had. */
    readonly newTag: () => string
  }
>()("effect-aap/conformance/Subject") {}
