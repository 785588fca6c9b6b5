import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as PageTool from "../../src/playground/setup/PageTool.ts"
import * as Setup from "../../src/playground/setup/Setup.ts"
import type { AgentInfo } from "../../src/protocol/Agent.ts"

const agent: AgentInfo = {
  name: "forecaster",
  version: "1",
  tools: ["a", "b", "c"].map((name) => ({ name, description: "", parameters: {} })),
  options: [
    { type: "text", name: "style", default: "short" },
    { type: "secret", name: "token", default: "" }
  ],
  capabilities: { history: { full: {} }, stream: { delta: {} } }
}

const draft = { ...PageTool.draft, name: "get_weather", description: "The weather." }
const call = { toolCallId: "call_1", name: "get_weather", input: {} }

const inherited: AgentInfo = {
  name: "agent",
  version: "1",
  tools: ["constructor", "valueOf", "__proto__"].map((name) => ({ name, description: "", parameters: {} })),
  options: ["toString", "__proto__"].map((name) => ({ type: "text" as const, name, default: "as it is" }))
}

describe("a setup of names that every record knows", () => {
  it("has nothing on, and nothing set, that nobody has chosen", () => {
    assert.deepStrictEqual(Setup.toConfig(inherited, Setup.defaults), { name: "agent" })
    assert.isUndefined(Setup.change(inherited, [Setup.defaults], Setup.defaults))
    const chosen = { options: { toString: "short" }, tools: { constructor: "ask" as const } }
    assert.deepStrictEqual(Setup.change(inherited, [Setup.defaults], chosen), {
      tools: [{ name: "constructor", trust: false }],
      options: { toString: "short" }
    })
  })
})

describe("an agent's setup", () => {
  it("is the agent alone where nothing was set", () => {
    assert.deepStrictEqual(Setup.toConfig(agent, Setup.defaults), { name: "forecaster" })
  })

  it("names the tools that are on, and the options that were changed", () => {
    const setup: Setup.Setup = {
      options: { style: "short", token: "s3cret", gone: "x" },
      tools: { a: "off", b: "ask", c: "trusted", gone: "trusted" }
    }
    assert.deepStrictEqual(Setup.toConfig(agent, setup), {
      name: "forecaster",
      tools: [
        { name: "b", trust: false },
        { name: "c", trust: true }
      ],
      options: { token: "s3cret" }
    })
  })

  const token = { ...Setup.defaults, options: { token: Setup.kept } }

  it.each([
    {
      what: "nothing where nothing differs",
      before: [Setup.defaults],
      setup: { options: { style: "short" }, tools: { a: "off" } }
    },
    {
      what: "an option that is back at its default",
      before: [{ options: { style: "long" }, tools: {} }],
      setup: Setup.defaults,
      sent: { options: { style: "short" } }
    },
    {
      what: "all tools that are on where one differs, and none where the last was put off",
      before: [{ options: {}, tools: { b: "ask" } }],
      setup: { options: {}, tools: { b: "ask", c: "trusted" } },
      sent: {
        tools: [
          { name: "b", trust: false },
          { name: "c", trust: true }
        ]
      }
    },
    {
      what: "no tools where all were put off",
      before: [{ options: {}, tools: { b: "ask" } }],
      setup: Setup.defaults,
      sent: { tools: [] }
    },
    { what: "no secret that is kept", before: [token, { options: { token: "new" }, tools: {} }], setup: token },
    {
      what: "a secret that was typed anew",
      before: [token],
      setup: { options: { token: "new" }, tools: {} },
      sent: { options: { token: "new" } }
    },
    {
      what: "what the server may or may not have taken",
      before: [Setup.defaults, { options: { style: "long" }, tools: {} }],
      setup: Setup.defaults,
      sent: { options: { style: "short" } }
    }
  ] satisfies ReadonlyArray<{
    readonly what: string
    readonly before: ReadonlyArray<Setup.Setup>
    readonly setup: Setup.Setup
    readonly sent?: object
  }>)("tells a session $what", ({ before, sent, setup }) => {
    assert.deepStrictEqual(Setup.change(agent, before, setup), sent)
  })

  it("is taken over from a session, and opens another without its secrets", () => {
    const setup = Setup.fromConfig({
      name: "forecaster",
      tools: [{ name: "a" }, { name: "b", trust: true }],
      options: { style: "long", token: "***" }
    })
    assert.deepStrictEqual(setup.tools, { a: "ask", b: "trusted" })
    assert.deepStrictEqual(Setup.toConfig(agent, setup).options, { style: "long" })
  })

  it("answers in the modes that the agent declares", () => {
    assert.deepStrictEqual(Setup.streamModes({ stream: { none: {}, message: {} } }), ["message", "none"])
    assert.deepStrictEqual(Setup.streamModes(), ["delta", "message", "none"])
  })

  it("tells what the agent can do", () => {
    assert.deepStrictEqual(Setup.capabilityNames(agent.capabilities), ["history.full", "stream.delta"])
    assert.deepStrictEqual(Setup.capabilityNames(), [])
  })
})

describe("a tool of the page", () => {
  it("is what was typed", () => {
    const tool = Result.getOrThrow(PageTool.fromDraft(draft, []))
    assert.strictEqual(tool.spec.parameters["type"], "object")
    assert.isUndefined(tool.fixed)
  })

  it.each([
    { what: "no name", draft: { ...draft, name: " " }, says: "needs a name" },
    { what: "a name that is taken", draft: { ...draft, name: "taken" }, says: "already" },
    { what: "no JSON", draft: { ...draft, parameters: "{" }, says: "JSON Schema" },
    { what: "no object", draft: { ...draft, parameters: "[]" }, says: "JSON Schema" }
  ])("says what is wrong: $what", ({ draft, says }) => {
    const failure = Result.match(PageTool.fromDraft(draft, ["taken"]), {
      onFailure: (problem) => problem,
      onSuccess: () => ""
    })
    assert.include(failure, says)
  })

  it.effect("asks the user, or answers alike", () =>
    Effect.gen(function* () {
      const asking = PageTool.run(() => Effect.succeed("asked"))
      const { spec } = Result.getOrThrow(PageTool.fromDraft(draft, []))
      assert.strictEqual(yield* asking({ spec }).run(call), "asked")
      assert.strictEqual(yield* asking({ spec, fixed: "sunny" }).run(call), "sunny")
    })
  )

  it("is taken over from a session that was begun elsewhere", () => {
    const { spec } = Result.getOrThrow(PageTool.fromDraft(draft, []))
    const other = { ...spec, name: "other" }
    assert.deepStrictEqual(PageTool.adopt([spec, other], [{ spec, fixed: "sunny" }]), [
      { spec, fixed: "sunny" },
      { spec: other }
    ])
  })
})

describe("a choice", () => {
  const option = { type: "select", name: "style", options: ["short", "long"], default: "terse" } as const

  it("has its value among its choices, though its agent does not name it", () => {
    assert.deepStrictEqual(Setup.choices(option, Setup.optionValue(Setup.defaults, option)), ["terse", "short", "long"])
    assert.deepStrictEqual(Setup.choices(option, "long"), ["short", "long"])
  })
})
