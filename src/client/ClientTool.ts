import { Cause, Data, Effect } from "effect"
import type { InputContent, JsonObject } from "../protocol/Content.ts"
import { schemaSentence } from "../protocol/SchemaDetails.ts"
import type { ToolCall, ToolSpec } from "../protocol/Tool.ts"
import * as ToolOutcome from "../history/ToolOutcome.ts"
import * as ToolParameters from "../protocol/ToolParameters.ts"

/** A tool of the application. `run` never fails: whatever goes wrong is a result that the model can read. */
export interface ClientTool<out R = never> {
  readonly spec: ToolSpec
  readonly run: (call: ToolCall) => Effect.Effect<InputContent, never, R>
}

interface Named {
  /** Unique among the session's tools. */
  readonly name: string
  readonly title?: string
  /** What the tool does, as the model reads it. */
  readonly description: string
}

/** How a tool is declared by a Schema of its input. */
export interface Declaration<S extends ToolParameters.InputSchema, E, R> extends Named {
  readonly input: S
  /** Runs a call. A string reads as it is, anything else as JSON; a failure's message is told to the model. */
  readonly handler: (input: S["Type"], call: ToolCall) => Effect.Effect<unknown, E, R>
}

const specOf = ({ description, name, title }: Named, parameters: JsonObject): ToolSpec => ({
  name,
  ...(title === undefined ? {} : { title }),
  description,
  parameters
})

const answered = <E, R>(name: string, handled: Effect.Effect<unknown, E, R>): Effect.Effect<string, never, R> =>
  handled.pipe(
    Effect.map(ToolOutcome.toContent),
    Effect.catch((error) => Effect.succeed(ToolOutcome.toFailure(error))),
    Effect.catchCauseIf(Cause.hasInterruptsOnly, () => Effect.succeed(`The tool ${name} was interrupted.`)),
    Effect.catchDefect((defect) =>
      Effect.as(
        Effect.logError(`the tool ${name} failed unexpectedly`, defect),
        `The tool ${name} failed unexpectedly.`
      )
    )
  )

/**
 * Declares a tool of the application in one expression.
 *
 * @example
 * const position = ClientTool.make({
 *   name: "get_position",
 *   description: "Where the user is.",
 *   input: Schema.Struct({}),
 *   handler: () => Effect.succeed({ latitude: 52.5, longitude: 13.4 })
 * })
 */
export const make = <S extends ToolParameters.InputSchema, E = never, R = never>(
  declaration: Declaration<S, E, R>
): ClientTool<R> => {
  const { handler, input, name } = declaration
  const decode = ToolParameters.decoder(input)
  return {
    spec: specOf(declaration, ToolParameters.make(input)),
    run: (call) =>
      Effect.matchEffect(decode(call.input), {
        onFailure: (error) => Effect.succeed(`The input of ${name} does not fit. ${schemaSentence(error)}`),
        onSuccess: (input) =>
          answered(
            name,
            Effect.suspend(() => handler(input, call))
          )
      })
  }
}

/** How a tool is declared by a JSON Schema; its handler checks the input by itself. */
export interface JsonDeclaration<E, R> extends Named {
  readonly parameters: JsonObject
  readonly handler: (input: JsonObject, call: ToolCall) => Effect.Effect<unknown, E, R>
}

/** Declares a tool whose input is described by a JSON Schema that is there already. */
export const fromJsonSchema = <E = never, R = never>(declaration: JsonDeclaration<E, R>): ClientTool<R> => ({
  spec: specOf(declaration, declaration.parameters),
  run: (call) =>
    answered(
      declaration.name,
      Effect.suspend(() => declaration.handler(call.input, call))
    )
})

class ToolAbsent extends Data.TaggedError("ToolAbsent")<{ readonly message: string }> {}

/** A tool that another application has declared in the session: a call of it is answered with why it cannot run. */
export const absent = (spec: ToolSpec): ClientTool =>
  fromJsonSchema({
    ...spec,
    handler: () =>
      Effect.fail(new ToolAbsent({ message: `${spec.name} is a tool of another application and cannot be run here` }))
  })
