import { fork } from "node:child_process"
import { join } from "node:path"
import { Context, Effect, Layer } from "effect"

/** The base URL of a provider's mock server, which runs in a process of its own and ends with the scope. */
export class MockModel extends Context.Service<MockModel, { readonly baseUrl: string }>()("test/MockModel") {
  static readonly layer = (dialect: string) =>
    Layer.effect(
      MockModel,
      Effect.gen(function* () {
        const child = yield* Effect.acquireRelease(
          Effect.sync(() => fork(join(import.meta.dirname, "server.ts"), [dialect])),
          (child) => Effect.sync(() => child.disconnect())
        )
        const port = yield* Effect.callback<number>((resume) => {
          child.once("message", (port) => resume(Effect.succeed(Number(port))))
        })
        return { baseUrl: `http://127.0.0.1:${port}` }
      })
    )
}
