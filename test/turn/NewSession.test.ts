import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Agent from "../../src/agent/Agent.ts"
import type { CatalogedAgent } from "../../src/agent/AgentCatalog.ts"
import type { HistoryMessage } from "../../src/protocol/Message.ts"
import { type CreateSession, SessionId } from "../../src/protocol/Session.ts"
import type { ToolSpec } from "../../src/protocol/Tool.ts"
import * as NewSession from "../../src/turn/NewSession.ts"

const spec = (name: string): ToolSpec => ({ name, description: "", parameters: { type: "object" } })
const agent: CatalogedAgent = {
  agent: Agent.make({ name: "a", instructions: "" }),
  tools: new Map([
    ["search", spec("search")],
    ["fetch", spec("fetch")]
  ]),
  hidden: new Map([["lookup", spec("lookup")]]),
  info: { name: "a", version: "1" }
}
const calling = (...names: ReadonlyArray<string>): HistoryMessage => ({
  role: "assistant",
  content: names.map((name) => ({ type: "tool_use", toolCallId: `id_${name}`, name, input: {} }))
})
const make = (request: CreateSession) => NewSession.make(agent, SessionId.make("sess_1"), request)

describe("NewSession", () => {
  it("sorts the calls that a seeded history leaves open, and lets a grant run only what is on", () => {
    const { session } = Result.getOrThrow(
      make({
        agent: { name: "a", tools: [{ name: "search", trust: true }] },
        tools: [spec("mine")],
        messages: [{ role: "user", content: "go" }, calling("mine", "search", "fetch", "lookup", "foreign")]
      })
    )
    assert.deepStrictEqual(
      session.pending.map(({ answerer, call, runnable }) => [call.name, answerer, runnable]),
      [
        ["mine", "client", false],
        ["search", "permission", true],
        ["fetch", "permission", false],
        ["lookup", "permission", false],
        ["foreign", "client", false]
      ]
    )
  })

  it("keeps the seeded messages as they are, system text included", () => {
    const messages: ReadonlyArray<HistoryMessage> = [
      { role: "system", content: "Rhyme." },
      { role: "user", content: [{ type: "text", text: "hello" }] },
      { role: "assistant", content: "yellow" }
    ]
    const { history, session } = Result.getOrThrow(make({ agent: { name: "a" }, messages }))
    assert.deepStrictEqual(
      history.map((entry) => entry.message),
      messages
    )
    assert.deepStrictEqual(session.pending, [])
  })

  it("refuses a history that does not pair, and says where", () => {
    const refused = make({ agent: { name: "a" }, messages: [calling("mine"), { role: "user", content: "hi" }] })
    assert.isTrue(Result.isFailure(refused) && refused.failure._tag === "InvalidHistory")
    assert.isTrue(Result.isFailure(refused) && refused.failure.path === "messages[1]")
  })

  it("refuses an image that the agent does not take", () => {
    const image: HistoryMessage = { role: "user", content: [{ type: "image", url: "https://example.test/a.png" }] }
    const refused = make({ agent: { name: "a" }, messages: [image] })
    assert.isTrue(Result.isFailure(refused) && refused.failure.path === "messages[0].content[0].url")
  })
})
