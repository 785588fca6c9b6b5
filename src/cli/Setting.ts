import { Config, Effect, Option, Result, Schema } from "effect"
import type * as SettingValue from "./SettingValue.ts"

/** A variable of the environment has a value that the server cannot work with. */
export class InvalidSetting extends Schema.TaggedError<InvalidSetting>()("InvalidSetting", {
  variable: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `${this.variable}: ${this.problem}`
  }
}

/** A variable of the environment, or what it is taken for where it is not set. */
export const setting = <A>(
  variable: string,
  otherwise: string,
  parse: SettingValue.Parse<A>
): Effect.Effect<A, InvalidSetting> =>
  Effect.gen(function* () {
    const text = yield* Effect.orDie(Config.option(Config.String(variable)))
    const parsed = parse(Option.getOrElse(text, () => otherwise).trim())
    return yield* Effect.fromResult(Result.mapError(parsed, (problem) => new InvalidSetting({ variable, problem })))
  })
