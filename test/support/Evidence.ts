import { inspect } from "node:util"
import { Cause, Layer, Logger, References, Tracer } from "effect"

const render = (value: unknown): string =>
  inspect(value, { depth: 20, maxStringLength: null, maxArrayLength: null, breakLength: Number.POSITIVE_INFINITY })

/** How a span ended, as exporters tell it: a failure with its cause, a success without its value. */
const ending = ({ status }: Tracer.NativeSpan): string =>
  status._tag === "Ended" && status.exit._tag === "Failure"
    ? `${render(status.exit.cause)} ${Cause.pretty(status.exit.cause)}`
    : status._tag

/** Everything that a program logs, at all levels with its causes, and every span that it opens, as text. */
export const make = () => {
  const lines: Array<string> = []
  const opened: Array<Tracer.NativeSpan> = []
  const logger = Logger.make(({ cause, logLevel, message }) => {
    lines.push(`${logLevel} ${render(message)} ${render(cause)} ${Cause.pretty(cause)}`)
  })
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      opened.push(span)
      return span
    }
  })
  return {
    layer: Layer.mergeAll(
      Logger.layer([logger, Logger.make((options) => lines.push(Logger.formatLogFmt.log(options)))]),
      Layer.succeed(References.MinimumLogLevel, "All"),
      Layer.succeed(Tracer.MinimumTraceLevel, "All"),
      Layer.succeed(Tracer.Tracer, tracer)
    ),
    logs: () => lines.join("\n"),
    spans: () =>
      opened
        .map((span) => `${span.name} ${render([span.attributes, span.events, span.links])} ${ending(span)}`)
        .join("\n")
  }
}
