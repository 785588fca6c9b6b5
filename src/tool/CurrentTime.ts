import { DateTime, Effect, Option, Schema } from "effect"
import * as ServerTool from "./ServerTool.ts"

/** No such time zone. */
export class UnknownTimeZone extends Schema.TaggedError<UnknownTimeZone>()("UnknownTimeZone", {
  timeZone: Schema.String
}) {
  override get message() {
    return `There is no time zone ${this.timeZone}; give an IANA name such as Europe/Paris or Asia/Tokyo.`
  }
}

/** `current_time`: the time now, in a zone of the IANA database, else in UTC. */
export const currentTime = ServerTool.make({
  name: "current_time",
  title: "Current time",
  description: "Tells the current date and time, in a time zone if one is given, else in UTC.",
  input: Schema.Struct({
    timeZone: Schema.optionalKey(
      Schema.String.annotate({ description: "An IANA time zone name, such as Europe/Paris or Asia/Tokyo" })
    )
  }),
  handler: Effect.fnUntraced(function* ({ timeZone = "UTC" }) {
    const zone = DateTime.zoneMakeNamed(timeZone)
    if (Option.isNone(zone)) return yield* new UnknownTimeZone({ timeZone })
    const now = DateTime.setZone(yield* DateTime.now, zone.value)
    const readable = DateTime.format(now, { dateStyle: "full", timeStyle: "long", locale: "en-GB" })
    return `${readable} (${DateTime.formatIsoZoned(now)})`
  })
})
