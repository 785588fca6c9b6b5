import { assert, describe, it } from "@effect/vitest"
import * as Conversation from "../../src/client/Conversation.ts"
import * as SessionState from "../../src/client/SessionState.ts"
import type { ApplicationMessage } from "../../src/protocol/Message.ts"

const tools = [{ name: "mine", description: "", parameters: {} }]
const agent = { options: { tone: "cool" } }
const said: ReadonlyArray<ApplicationMessage> = [{ role: "user", content: "go" }]
const fresh = SessionState.make([{ role: "user", content: "before" }], { tools })
const start = { event: "turn_start", data: {} } as const
const messagesOf = ({ conversation }: SessionState.SessionState) => Conversation.messages(conversation).length

describe("the state of a session", () => {
  it("counts what was sent as said only once its turn has begun", () => {
    const sent = SessionState.send(fresh, said)
    assert.strictEqual(messagesOf(SessionState.fail(sent)), 1)
    assert.strictEqual(messagesOf(SessionState.fail(SessionState.hear(sent, start))), 2)
    assert.strictEqual(messagesOf(SessionState.fail(fresh)), 1)
  })

  it("tells what is to be told until a turn has begun with it", () => {
    const changed = SessionState.change(fresh, agent)
    assert.deepStrictEqual(changed.toTell, { tools, agent })
    assert.deepStrictEqual(SessionState.fail(SessionState.send(changed, said)).toTell, { tools, agent })
    assert.deepStrictEqual(SessionState.hear(SessionState.send(changed, said), start).toTell, {})
    assert.deepStrictEqual(SessionState.change(SessionState.fail(changed), undefined).toTell, { tools, agent })
  })

  it("is stale where a stream was left, until the history is read and the next turn has begun", () => {
    const running = SessionState.begin(fresh)
    const ended = SessionState.leave(SessionState.finish(running))
    assert.deepStrictEqual([ended.freshness, ended.isRunning], ["known", false])
    const left = SessionState.leave(running)
    assert.deepStrictEqual([left.freshness, left.isRunning], ["stale", false])
    const read = SessionState.reload(left, [])
    assert.deepStrictEqual([read.freshness, messagesOf(read)], ["unsure", 0])
    assert.strictEqual(SessionState.settle(SessionState.send(read, said), []).freshness, "known")
  })

  it("owes answers by the stop of its latest turn", () => {
    const called = SessionState.hear(SessionState.send(fresh, said), {
      event: "tool_call",
      data: { toolCallId: "a", name: "look", input: {} }
    })
    const stopped = (stopReason: "tool_use" | "error") =>
      SessionState.hear(called, { event: "turn_stop", data: { stopReason } })
    assert.strictEqual(SessionState.owed(stopped("tool_use"), () => false).length, 1)
    assert.strictEqual(SessionState.owed(stopped("error"), () => true).length, 0)
    assert.isUndefined(SessionState.send(stopped("error"), said).stopReason)
  })
})
