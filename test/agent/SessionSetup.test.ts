import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Agent from "../../src/agent/Agent.ts"
import type { CatalogedAgent } from "../../src/agent/AgentCatalog.ts"
import * as SessionSetup from "../../src/agent/SessionSetup.ts"
import type { ToolSpec } from "../../src/protocol/Tool.ts"

const spec = (name: string): ToolSpec => ({ name, description: "", parameters: { type: "object" } })
const agent: CatalogedAgent = {
  agent: Agent.make({
    name: "a",
    instructions: "",
    options: [
      { type: "text", name: "tone", default: "kind" },
      { type: "select", name: "size", options: ["s", "l"], default: "s" },
      { type: "secret", name: "token", default: "none" }
    ]
  }),
  tools: new Map([
    ["search", spec("search")],
    ["fetch", spec("fetch")]
  ]),
  hidden: new Map([["lookup", spec("lookup")]]),
  info: { name: "a", version: "1" }
}
const set = (change: SessionSetup.SetupChange, current = SessionSetup.empty) =>
  SessionSetup.change(agent, current, change)
const refused = (change: SessionSetup.SetupChange, current = SessionSetup.empty) =>
  Result.match(set(change, current), { onSuccess: () => undefined, onFailure: ({ code, path }) => ({ code, path }) })

describe("SessionSetup", () => {
  it("merges options by key, and replaces tools", () => {
    const first = Result.getOrThrow(set({ options: { tone: "dry", token: "t0p" }, serverTools: [{ name: "search" }] }))
    const second = Result.getOrThrow(set({ options: { size: "l" }, clientTools: [spec("mine")] }, first))
    assert.deepStrictEqual(second, {
      options: { tone: "dry", token: "t0p", size: "l" },
      serverTools: [{ name: "search" }],
      clientTools: [spec("mine")]
    })
    assert.deepStrictEqual(Result.getOrThrow(set({ serverTools: [] }, second)).serverTools, [])
  })

  it("takes *** for a secret as unchanged, and for a text as text", () => {
    const current = { ...SessionSetup.empty, options: { token: "t0p" } }
    assert.deepStrictEqual(Result.getOrThrow(set({ options: { token: "***", tone: "***" } }, current)).options, {
      token: "t0p",
      tone: "***"
    })
  })

  it("shows no secret, and nothing of an option that is gone", () => {
    assert.deepStrictEqual(SessionSetup.redact(agent.agent.options, { tone: "dry", token: "t0p", old: "x" }), {
      tone: "dry",
      token: "***",
      old: "***"
    })
  })

  it("fills in defaults, own properties alone", () => {
    assert.deepStrictEqual(Agent.optionValues(agent.agent, { tone: "dry" }), { tone: "dry", size: "s", token: "none" })
  })

  it.each<{ readonly name: string; readonly change: SessionSetup.SetupChange; readonly is: unknown }>([
    {
      name: "an unknown option",
      change: { options: { nope: "" } },
      is: { code: "unknown_option", path: "agent.options.nope" }
    },
    {
      name: "an inherited name",
      change: { options: { constructor: "" } },
      is: { code: "unknown_option", path: "agent.options.constructor" }
    },
    {
      name: "a value that a select lacks",
      change: { options: { size: "m" } },
      is: { code: "invalid_option_value", path: "agent.options.size" }
    },
    {
      name: "an unknown server tool",
      change: { serverTools: [{ name: "nope" }] },
      is: { code: "unknown_tool", path: "agent.tools[0].name" }
    },
    {
      name: "a hidden server tool",
      change: { serverTools: [{ name: "lookup" }] },
      is: { code: "unknown_tool", path: "agent.tools[0].name" }
    },
    {
      name: "a server tool twice",
      change: { serverTools: [{ name: "search" }, { name: "search" }] },
      is: { code: "tool_name_clash", path: "agent.tools[1].name" }
    },
    {
      name: "two client tools of a name",
      change: { clientTools: [spec("x"), spec("x")] },
      is: { code: "tool_name_clash", path: "tools[1].name" }
    },
    {
      name: "a client tool named as a hidden one",
      change: { clientTools: [spec("lookup")] },
      is: { code: "tool_name_clash", path: "tools[0].name" }
    }
  ])("refuses $name", ({ change, is }) => {
    assert.deepStrictEqual(refused(change), is)
  })

  it("refuses a server tool that clashes with a client tool set earlier", () => {
    const current = Result.getOrThrow(set({ clientTools: [spec("search")] }))
    assert.deepStrictEqual(refused({ serverTools: [{ name: "search" }] }, current)?.code, "tool_name_clash")
  })
})
