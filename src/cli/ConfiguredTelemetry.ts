import { Cause, Config, Effect, Layer, Result } from "effect"
import * as Telemetry from "../telemetry/Telemetry.ts"
import { InvalidSetting } from "./Setting.ts"
import type { Settings } from "./Settings.ts"

/** The variable that a problem with it names. */
const variableOf = (problem: string): string => /\bOTEL_[A-Z_]+/.exec(problem)?.[0] ?? "OTEL_*"

/** A variable of OpenTelemetry's that cannot be read is a setting's fault. */
const blame = (cause: Cause.Cause<never>): Effect.Effect<never, InvalidSetting> => {
  const defect = Result.getOrUndefined(Cause.findDefect(cause))
  if (!(defect instanceof Config.ConfigError)) return Effect.failCause(cause)
  const problem = defect.message.replaceAll(/\s+/g, " ")
  return Effect.fail(new InvalidSetting({ variable: variableOf(problem), problem }))
}

/** Logs and exporters as the settings and the `OTEL_*` variables say. */
export const layer = ({ log, logLevel }: Pick<Settings, "log" | "logLevel">): Layer.Layer<never, InvalidSetting> =>
  Layer.catchCause(Telemetry.layer({ log, level: logLevel }), (cause) => Layer.effectDiscard(blame(cause)))
