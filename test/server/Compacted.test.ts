import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Agent from "../../src/agent/Agent.ts"
import * as Compaction from "../../src/turn/Compaction.ts"
import { ask, openSession, says, takeTurn, testServer } from "../support/TestServer.ts"

const long = "word ".repeat(100)
const open = Agent.make({
  name: "open",
  instructions: "",
  capabilities: { ...Agent.defaultCapabilities, history: { full: {}, compacted: {} } }
})
const closed = Agent.make({ name: "closed", instructions: "" })

const server = testServer({ agents: [open, closed] }).pipe(Layer.provide(Compaction.window({ above: 200, keep: 50 })))

describe("a compacted history", () => {
  it.live("is shown as the model is fed it, beside the full one", () =>
    Effect.gen(function* () {
      const id = yield* openSession({ agent: { name: "open" } })
      yield* takeTurn(id, says(long))
      const answer = { role: "assistant", content: "Hello, world." }
      const first = [{ role: "user", content: long }, answer]
      assert.deepStrictEqual((yield* ask(`/sessions/${id}/history?type=compacted`)).json, {
        history: { compacted: first }
      })
      yield* takeTurn(id, says(`again ${long}`))
      const second = [{ role: "user", content: `again ${long}` }, answer]
      assert.deepStrictEqual((yield* ask(`/sessions/${id}/history?type=compacted`)).json, {
        history: { compacted: second }
      })
      assert.deepStrictEqual((yield* ask(`/sessions/${id}/history?type=full`)).json, {
        history: { full: [...first, ...second] }
      })
    }).pipe(Effect.provide(server))
  )

  it.live("is compacted, and not shown, where the agent does not declare it", () =>
    Effect.gen(function* () {
      const id = yield* openSession({ agent: { name: "closed" } })
      yield* takeTurn(id, says(long))
      yield* takeTurn(id, says(long))
      assert.strictEqual((yield* ask(`/sessions/${id}/history?type=compacted`)).status, 404)
      assert.strictEqual((yield* ask(`/sessions/${id}/history?type=full`)).status, 200)
    }).pipe(Effect.provide(server))
  )
})
