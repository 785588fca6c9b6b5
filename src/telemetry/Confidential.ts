import { Cause, Context, Effect, Formatter, Layer, Logger, Predicate } from "effect"
import { CaptureContent } from "./CaptureContent.ts"
import * as Quoted from "./Quoted.ts"

/** Texts that no log may quote. */
export interface ConfidentialTexts {
  /** What is said in the session that work is done for; told where {@link CaptureContent} asks for it. */
  readonly said: ReadonlyArray<string>
  /** Its secret options; told nowhere. */
  readonly secrets: ReadonlyArray<string>
}

/** The texts that what is done now must not be quoted with, asked for once something is logged. */
export const Confidential = Context.Reference<() => ConfidentialTexts>("effect-aap/Confidential", {
  defaultValue: () => () => ({ said: [], secrets: [] })
})

/** How many characters of a message, or of an error, are logged. */
const longest = 10_000

const cut = (line: string): string => (line.length <= longest ? line : `${line.slice(0, longest).toWellFormed()}…`)

/** What a log tells of an error: its name, what it says, and where it comes from. Fields of its own may hold anything. */
const plain = (cause: Cause.Cause<unknown>, hide: (text: string) => string): Cause.Cause<unknown> =>
  cause.reasons.length === 0 || Cause.hasInterruptsOnly(cause)
    ? cause
    : Cause.prettyErrors(cause, { includeCauseInStack: true })
        .map(({ message, name, stack = "" }) =>
          Cause.fail({ name: hide(name), message: hide(message), stack: hide(stack) })
        )
        .reduce(Cause.combine)

const text = (value: unknown): string => {
  if (typeof value === "string") return value
  return Predicate.isError(value) ? `${value.name}: ${value.message}` : Formatter.format(value)
}

const toSafe = <Output>(logger: Logger.Logger<unknown, Output>): Logger.Logger<unknown, Output> =>
  Logger.make((options) => {
    const { said, secrets } = options.fiber.getRef(Confidential)()
    const texts = options.fiber.getRef(CaptureContent) ? secrets : [...said, ...secrets]
    const hide = (line: string) => (texts.length === 0 ? cut(line) : Quoted.hide(cut(line), texts))
    const message = Array.isArray(options.message) ? options.message : [options.message]
    return logger.log({
      ...options,
      message: message.map((part) => hide(text(part))),
      cause: plain(options.cause, hide)
    })
  })

/**
 * Makes all loggers that are there safe, exporters' too.
 *
 * 1. What they are given quotes nothing {@link Confidential}, but for what is said where {@link CaptureContent} asks for it.
 * 2. It tells nothing of an error but its name, its sentence and its stack.
 * 3. None of it is longer than ten thousand characters.
 */
export const layer: Layer.Layer<never> = Layer.effect(
  Logger.CurrentLoggers,
  Effect.map(Logger.CurrentLoggers, (loggers) => new Set([...loggers].map(toSafe)))
)
