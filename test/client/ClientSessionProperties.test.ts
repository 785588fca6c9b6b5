import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result, Schema, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import * as Agent from "../../src/agent/Agent.ts"
import { AgentClient } from "../../src/client/AgentClient.ts"
import * as ClientSession from "../../src/client/ClientSession.ts"
import * as ClientTool from "../../src/client/ClientTool.ts"
import { openCalls } from "../../src/history/Pairing.ts"
import * as Scripted from "../../src/model/Scripted.ts"
import * as ServerTool from "../../src/tool/ServerTool.ts"
import { ToolRegistry } from "../../src/tool/ToolRegistry.ts"
import { baseUrl, testServer } from "../support/TestServer.ts"

const input = Schema.Struct({})
const mine = ClientTool.make({ name: "mine", description: "", input, handler: () => Effect.succeed("mine") })
const tool = (name: string) => ServerTool.make({ name, description: "", input, handler: () => Effect.succeed(name) })
const agent = Agent.make({ name: "agent", instructions: "", tools: ["asks", "trusted"], stepLimit: 6 })

/** What the model does in one step. */
const Step = Schema.Struct({
  says: Schema.Array(
    Schema.Union([
      Schema.Struct({ text: Schema.Literals(["a", " ", "b c"]) }),
      Schema.Struct({ thinks: Schema.Literals(["hm", ""]) }),
      Schema.Struct({ calls: Schema.Literals(["mine", "asks", "trusted", "none such"]) })
    ])
  ),
  ends: Schema.Literals(["stop", "stop", "stop", "stop", "length", "refusal", "fail"])
})

const toReply = ({ ends, says }: typeof Step.Type): Scripted.Reply =>
  Scripted.reply(
    ...says.map((said) =>
      "text" in said
        ? Scripted.text(said.text)
        : "thinks" in said
          ? Scripted.thinking(said.thinks)
          : Scripted.call(said.calls)
    ),
    ends === "fail" ? Scripted.fail({ reason: "unauthorized" }) : Scripted.finish(ends)
  )

describe("ClientSession", () => {
  it.live.prop(
    "knows of its conversation what the server knows, for any model, mode and permissions",
    {
      steps: Schema.Array(Step),
      grants: Schema.Array(Schema.Boolean),
      stream: Schema.Literals(["delta", "message", "none"])
    },
    ({ grants, steps, stream }) =>
      Effect.gen(function* () {
        const replies = steps.map(toReply)
        let asked = 0
        const server = testServer({
          agents: [agent],
          tools: ToolRegistry.layer(tool("asks"), tool("trusted")),
          model: Scripted.layer((_, index) => replies[index] ?? Scripted.text("so"))
        })
        const client = Layer.unwrap(Effect.map(baseUrl, (url) => AgentClient.layer({ baseUrl: url }))).pipe(
          Layer.provide(FetchHttpClient.layer),
          Layer.provide(server)
        )
        yield* Effect.gen(function* () {
          const session = yield* ClientSession.open(
            { name: "agent", tools: [{ name: "asks" }, { name: "trusted", trust: true }] },
            {
              tools: [mine],
              stream,
              permit: () => Effect.sync(() => ({ granted: grants[asked++ % grants.length] ?? false, reason: "no" }))
            }
          )
          for (const content of ["one", "two"]) {
            yield* Stream.runDrain(session.say(content))
            const known = yield* session.messages
            assert.deepStrictEqual(known, yield* (yield* AgentClient).history(session.id))
            assert.deepStrictEqual(openCalls(known), Result.succeed([]))
            assert.deepStrictEqual(yield* session.openCalls, [])
          }
        }).pipe(Effect.provide(client))
      }),
    { arbitrary: { runs: 150 } }
  )
})
