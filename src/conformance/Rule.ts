import { Effect, Equal, Schema } from "effect"
import type { Scope } from "effect"
import { schemaSentence } from "../protocol/SchemaDetails.ts"
import type { AgentServer } from "./AgentServer.ts"
import type { ModelControl } from "./ModelControl.ts"
import type { Section } from "./Section.ts"
import type { Subject } from "./Subject.ts"

/** A server does other than a rule says: what it did, and what would be right. */
export class RuleBroken extends Schema.TaggedError<RuleBroken>()("RuleBroken", { message: Schema.String }) {}

/** A rule has nothing to say of an agent, and why. */
export class NotApplicable extends Schema.TaggedError<NotApplicable>()("NotApplicable", { reason: Schema.String }) {}

/** What a rule works with. The sessions that it opens are deleted with its scope. */
export type RuleServices = AgentServer | ModelControl | Subject | Scope.Scope

/** A rule of the protocol, and how it is checked. */
export interface Rule {
  /** Its name, such as `delete-session`. */
  readonly id: string
  /** Where it stands in the protocol. */
  readonly section: Section
  /** What it says, in a sentence. */
  readonly says: string
  readonly check: Effect.Effect<void, RuleBroken | NotApplicable, RuleServices>
}

/** The rule is broken. */
export const broken = (message: string) => Effect.fail(new RuleBroken({ message }))

/** The rule has nothing to say here. */
export const notApplicable = (reason: string) => Effect.fail(new NotApplicable({ reason }))

/** The rule is broken where this does not hold. */
export const expect = (holds: boolean, message: string): Effect.Effect<void, RuleBroken> =>
  holds ? Effect.void : broken(message)

/** A value as it is quoted in a sentence. */
export const quoted = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "nothing"
  return text.length <= 400 ? text : `${text.slice(0, 400)}…`
}

/** The rule is broken where two values are not the same JSON. */
export const expectSame = (what: string, is: unknown, expected: unknown): Effect.Effect<void, RuleBroken> =>
  expect(Equal.equals(is, expected), `${what} is ${quoted(is)}; ${quoted(expected)} would be right`)

/** A value as a Schema reads it; the rule is broken where it does not fit. */
export const fits = <S extends Schema.ConstraintDecoder<unknown>>(
  what: string,
  schema: S,
  value: unknown
): Effect.Effect<S["Type"], RuleBroken> =>
  Effect.mapError(
    Schema.decodeUnknownEffect(schema)(value),
    (error) => new RuleBroken({ message: `${what} does not fit: ${schemaSentence(error)}; it is ${quoted(value)}` })
  )
