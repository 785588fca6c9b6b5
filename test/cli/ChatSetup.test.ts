import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as ChatSetup from "../../src/cli/ChatSetup.ts"
import type { AgentInfo } from "../../src/protocol/Agent.ts"
import { clerk } from "../support/Clerk.ts"

const other: AgentInfo = { name: "other", version: "1", capabilities: { application: { tools: {} } } }
const nothing: ChatSetup.AskedSetup = { options: [], secrets: [], tools: [], trusted: [], local: false }

describe("the setup of a new session", () => {
  it("is what was asked for", () => {
    const asked = {
      ...nothing,
      options: ["place=a=b", "tone=cool"],
      secrets: ["token"],
      tools: ["look", "write"],
      trusted: ["write"]
    }
    assert.deepStrictEqual(
      ChatSetup.config(clerk, asked),
      Result.succeed({
        name: "clerk",
        options: { place: "a=b", tone: "cool" },
        tools: [
          { name: "look", trust: false },
          { name: "write", trust: true }
        ]
      })
    )
    assert.deepStrictEqual(ChatSetup.config(clerk, nothing), Result.succeed({ name: "clerk" }))
    assert.deepStrictEqual(ChatSetup.config(other, { ...nothing, local: true }), Result.succeed({ name: "other" }))
  })

  it.each([
    { asked: { options: ["place"] }, says: "--option is NAME=VALUE, such as --option model=gpt-5" },
    { asked: { options: ["=x"] }, says: "--option is NAME=VALUE, such as --option model=gpt-5" },
    { asked: { options: ["colour=red"] }, says: "clerk has no option colour; it has: place, token, tone" },
    {
      asked: { options: ["token=hunter2"] },
      says: "the option token is secret; give --secret token, and its value where it is not seen"
    },
    { asked: { options: ["tone=hot"] }, says: "the option tone is one of: warm, cool" },
    { asked: { secrets: ["place"] }, says: "clerk has no secret option place; it has: token" },
    { asked: { tools: ["fly"] }, says: "clerk has no tool fly; it has: look, write" },
    { asked: { trusted: ["fly\x1b[2J"] }, says: "clerk has no tool fly\\x1b[2J; it has: look, write" },
    { asked: { local: true }, says: "clerk takes no tools of an application; leave out --local" }
  ])("refuses $asked and names what there is", ({ asked, says }) => {
    assert.deepStrictEqual(ChatSetup.config(clerk, { ...nothing, ...asked }), Result.fail(says))
  })

  it("takes the only agent, or the one that is named", () => {
    assert.deepStrictEqual(ChatSetup.agentOf([clerk], undefined), Result.succeed(clerk))
    assert.deepStrictEqual(ChatSetup.agentOf([clerk, other], "other"), Result.succeed(other))
    assert.deepStrictEqual(
      ChatSetup.agentOf([clerk, other], undefined),
      Result.fail("give --agent with one of: clerk, other")
    )
    assert.deepStrictEqual(
      ChatSetup.agentOf([clerk, other], "x"),
      Result.fail("there is no agent x; give --agent with one of: clerk, other")
    )
  })
})
