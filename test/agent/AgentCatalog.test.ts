import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Schema } from "effect"
import * as Agent from "../../src/agent/Agent.ts"
import { AgentCatalog } from "../../src/agent/AgentCatalog.ts"
import * as ServerTool from "../../src/tool/ServerTool.ts"
import { ToolRegistry } from "../../src/tool/ToolRegistry.ts"

const tool = (name: string, hidden = false) =>
  ServerTool.make({ name, description: name, input: Schema.Struct({}), handler: () => Effect.void, hidden })

const tools = ToolRegistry.layer(tool("seen"), tool("unseen", true))

const build = (...agents: ReadonlyArray<Agent.Agent>) =>
  Effect.provide(AgentCatalog, AgentCatalog.layer(...agents).pipe(Layer.provide(tools)))

describe("AgentCatalog", () => {
  it.effect("shows its agents, hidden tools and secrets aside", () =>
    Effect.gen(function* () {
      const { get, meta } = yield* build(
        Agent.make({
          name: "one",
          title: "One",
          description: "The first.",
          version: "2.1.0",
          instructions: "",
          tools: ["seen", "unseen"],
          options: [
            { type: "text", name: "tone", default: "kind" },
            { type: "secret", name: "token", default: "of the house" }
          ]
        }),
        Agent.make({ name: "two", instructions: "" })
      )
      assert.deepStrictEqual(meta, {
        version: 3,
        agents: [
          {
            name: "one",
            title: "One",
            version: "2.1.0",
            description: "The first.",
            tools: [
              {
                name: "seen",
                description: "seen",
                parameters: { type: "object", properties: {} }
              }
            ],
            options: [
              { type: "text", name: "tone", default: "kind" },
              { type: "secret", name: "token", default: "" }
            ],
            capabilities: Agent.defaultCapabilities
          },
          { name: "two", version: "1.0.0", tools: [], options: [], capabilities: Agent.defaultCapabilities }
        ]
      })
      assert.deepStrictEqual([...(get("one")?.hidden.keys() ?? [])], ["unseen"])
      assert.strictEqual(get("three"), undefined)
    })
  )

  const select = { type: "select", name: "size", options: ["s"], default: "m" } as const
  const text = { type: "text", name: "tone", default: "" } as const
  it.effect.each([
    { change: { tools: ["none"] }, says: "names the tool none, which the ToolRegistry does not have" },
    { change: { tools: ["seen", "seen"] }, says: "names the tool seen twice" },
    { change: { options: [select] }, says: "has the option size, whose default is none of its values" },
    { change: { options: [text, text] }, says: "has two options named tone" },
    { change: { stepLimit: 0 }, says: "has a step limit that is no positive integer" }
  ])("refuses an agent that $says", ({ change, says }) =>
    Effect.gen(function* () {
      const built = yield* Effect.exit(build(Agent.make({ name: "one", instructions: "", ...change })))
      assert.include(Exit.isFailure(built) ? Cause.pretty(built.cause) : "built", `the agent one ${says}`)
    })
  )

  it.effect("refuses two agents of one name", () =>
    Effect.gen(function* () {
      const one = Agent.make({ name: "one", instructions: "" })
      const built = yield* Effect.exit(build(one, one))
      assert.include(Exit.isFailure(built) ? Cause.pretty(built.cause) : "built", "two agents are named one")
    })
  )

  it("lets instructions and model depend on the options", () => {
    const agent = Agent.make({
      name: "one",
      instructions: ({ tone }) => `Be ${tone}.`,
      model: ({ tone }) => `model-${tone}`,
      options: [text]
    })
    assert.strictEqual(Agent.instructions(agent, { tone: "dry" }), "Be dry.")
    assert.strictEqual(Agent.model(agent, { tone: "dry" }), "model-dry")
  })
})
