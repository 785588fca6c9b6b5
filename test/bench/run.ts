import { NodeRuntime } from "@effect/platform-node"
import { Console, Effect } from "effect"
import * as Rig from "./Rig.ts"
import * as Trials from "./Trials.ts"

const main = Effect.gen(function* () {
  const rig = yield* Rig.start(process.env["PROFILE"])
  for (const target of [rig.relay, rig.server, rig.relay, rig.server, rig.relay, rig.server]) {
    if (process.env["ONLY"] !== "paced")
      yield* Console.log(target.name, "burst", yield* Trials.burst({ streams: 10, deltas: 2000 })(rig, target))
    if (process.env["ONLY"] !== "burst")
      yield* Console.log(
        target.name,
        "paced",
        yield* Trials.paced(Number(process.env["STREAMS"] ?? 100), Number(process.env["SECONDS_"] ?? 4))(rig, target)
      )
  }
})

NodeRuntime.runMain(Effect.scoped(main))
