import { Cause, Context, Effect, Layer, Logger, Predicate } from "effect"
import { CaptureContent } from "./CaptureContent.ts"
import * as Quoted from "./Quoted.ts"

/** Texts that no log may quote: what is said in the session that work is done for, and its secret options. */
export const Confidential = Context.Reference<() => Iterable<string>>("effect-aap/Confidential", {
  defaultValue: () => () => []
})

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
  return Predicate.isError(value) ? `${value.name}: ${value.message}` : String(value)
}

const toSafe = <Output>(logger: Logger.Logger<unknown, Output>): Logger.Logger<unknown, Output> =>
  Logger.make((options) => {
    const texts = options.fiber.getRef(CaptureContent) ? [] : [...options.fiber.getRef(Confidential)()]
    const hide = (line: string) => (texts.length === 0 ? line : Quoted.hide(line, texts))
    const message = Array.isArray(options.message) ? options.message : [options.message]
    return logger.log({
      ...options,
      message: message.map((part) => hide(text(part))),
      cause: plain(options.cause, hide)
    })
  })

/**
 * Makes all loggers that are there safe, exporters' too: what they are given quotes nothing {@link Confidential}, unless
 * {@link CaptureContent} asks for it, and tells nothing of an error but its name, its sentence and its stack.
 */
export const layer: Layer.Layer<never> = Layer.effect(
  Logger.CurrentLoggers,
  Effect.map(Logger.CurrentLoggers, (loggers) => new Set([...loggers].map(toSafe)))
)
