import { mkdirSync, writeFileSync } from "node:fs"
import { loadavg } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { NodeRuntime } from "@effect/platform-node"
import { Clock, Console, Effect, Result } from "effect"
import * as Histories from "./Histories.ts"
import * as Lists from "./Lists.ts"
import * as Plot from "./Plot.ts"
import * as Results from "./Results.ts"
import * as Rig from "./Rig.ts"
import * as Sizes from "./Sizes.ts"
import * as Streams from "./Streams.ts"

/**
 * What the server costs beside a bare relay: `npm run bench`, or `npm run bench -- --quick` to see that it works. The
 * ratios count, the times are this machine's. It reaches nothing but loopback and ends by itself. Results go to
 * `test/bench`, those of a quick run to `test/output`, either to `--out`; `--profile` is a folder for CPU profiles.
 */
const options = {
  quick: { type: "boolean", default: false },
  out: { type: "string" },
  profile: { type: "string" }
} as const

const parse = () => parseArgs({ options })

const usage = "--quick, --out FOLDER and --profile FOLDER are what it takes."

const main = Effect.fnUntraced(function* (values: ReturnType<typeof parse>["values"]) {
  const size = values.quick ? Sizes.quick : Sizes.full
  const out = values.out ?? (values.quick ? "test/output/quick" : "test/bench")
  const occasion = Results.occasion(yield* Clock.currentTimeMillis, loadavg()[0] ?? 0, values.quick)
  const rig = yield* Rig.start(values.profile)
  const figures = [
    ...(yield* Streams.measure(rig, size)),
    ...(yield* Histories.measure(rig, size)),
    ...(yield* Lists.measure(rig, size))
  ]
  const page = Results.page(occasion, figures)
  yield* Effect.sync(() => {
    mkdirSync(out, { recursive: true })
    writeFileSync(join(out, "RESULTS.md"), page)
    writeFileSync(join(out, "results.svg"), Plot.svg(figures))
  })
  yield* Console.log(page)
})

const parsed = Result.try(parse)
const misused = Effect.andThen(
  Console.error(usage),
  Effect.sync(() => {
    process.exitCode = 2
  })
)

NodeRuntime.runMain(Result.isFailure(parsed) ? misused : Effect.scoped(main(parsed.success.values)))
