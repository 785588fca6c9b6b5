import { Duration, Effect, Schema } from "effect"
import type { JsonObject } from "../protocol/Content.ts"
import { schemaSentence } from "../protocol/SchemaDetails.ts"
import type { ToolSpec } from "../protocol/Tool.ts"
import * as ToolParameters from "../protocol/ToolParameters.ts"
import type { ToolCallContext } from "./ToolRegistry.ts"

/** The input of a call does not fit its tool. The message names each place and what would fit. */
export class InvalidInput extends Schema.TaggedError<InvalidInput>()("InvalidInput", { message: Schema.String }) {}

/** A tool that the server runs. `R` are the services that its handler needs. */
export interface ServerTool<out R = never> {
  readonly spec: ToolSpec
  readonly hidden: boolean
  readonly timeout: Duration.Duration
  /** Decodes the input of a call. What it gives, when run, is what the handler does. */
  readonly prepare: (
    input: JsonObject,
    call: ToolCallContext
  ) => Effect.Effect<Effect.Effect<unknown, unknown, R>, InvalidInput>
}

/** How a tool is declared. */
export interface Declaration<S extends ToolParameters.InputSchema, E, R> {
  /** Up to 128 characters that can be seen, unique in the registry. */
  readonly name: string
  readonly title?: string
  /** What the tool does, as the model reads it. */
  readonly description: string
  /** What the tool takes. The model is told its JSON Schema. */
  readonly input: S
  /**
   * Runs a call. A string reads as it is, anything else as JSON. The message of a failure is told to the model; a defect
   * is told to the log alone.
   */
  readonly handler: (input: S["Type"], call: ToolCallContext) => Effect.Effect<unknown, E, R>
  /** How long the handler may take; a minute by default. */
  readonly timeout?: Duration.Input
  /** Whether the tool is its agent's own affair: never shown, always on. */
  readonly hidden?: boolean
}

const isName = (name: string): boolean => name.length <= 128 && /^[^\p{C}\p{Z}]+$/u.test(name)

/**
 * Declares a server tool in one expression. A name that no registry takes is a bug, and thrown.
 *
 * @example
 * const weather = ServerTool.make({
 *   name: "get_weather",
 *   description: "The weather of a place, now.",
 *   input: Schema.Struct({ location: Schema.String }),
 *   handler: ({ location }) => Effect.succeed(`${location}: 18°C, cloudy`)
 * })
 */
export const make = <S extends ToolParameters.InputSchema, E = never, R = never>(
  declaration: Declaration<S, E, R>
): ServerTool<R> => {
  const { description, handler, hidden = false, input, name, timeout = "1 minute", title } = declaration
  if (!isName(name)) throw new Error(`"${name}" is no name of a tool: 1 to 128 characters, without blanks`)
  const decode = ToolParameters.decoder(input)
  return {
    spec: { name, ...(title === undefined ? {} : { title }), description, parameters: ToolParameters.make(input) },
    hidden,
    timeout: Duration.fromInputUnsafe(timeout),
    prepare: (json, call) =>
      decode(json).pipe(
        Effect.mapError((error) => new InvalidInput({ message: schemaSentence(error) })),
        Effect.map((input) => Effect.suspend(() => handler(input, call)))
      )
  }
}
