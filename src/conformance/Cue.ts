import { Effect } from "effect"
import type { UserMessage } from "../protocol/Message.ts"
import * as Script from "./Script.ts"
import { Subject } from "./Subject.ts"

/** A script of a rule: what the user says, and under which tag the model keeps what it was asked. */
export interface Cue {
  readonly tag: string
  readonly message: UserMessage
}

/** A user message that tells the model what to do, step by step. */
export const make = (...steps: Script.Script["steps"]) =>
  Effect.map(Subject, ({ newTag }): Cue => {
    const tag = newTag()
    return { tag, message: { role: "user", content: Script.write({ tag, steps }) } }
  })
