import { assert, describe, it } from "@effect/vitest"
import * as Chat from "../../src/playground/chat/Chat.ts"
import type { StopReason } from "../../src/protocol/Turn.ts"
import type { TurnEvent } from "../../src/protocol/TurnEvent.ts"

const start: TurnEvent = { event: "turn_start", data: {} }
const text = (delta: string): TurnEvent => ({ event: "text_delta", data: { delta } })
const stop = (stopReason: StopReason): TurnEvent => ({ event: "turn_stop", data: { stopReason } })

const fold = (chat: Chat.Chat, ...actions: ReadonlyArray<Chat.Action>) => actions.reduce(Chat.reduce, chat)
const heard = (...events: ReadonlyArray<TurnEvent>): Chat.Action => ({
  type: "heard",
  events: events.map((event, at) => ({ at, event }))
})
const said: Chat.Action = { type: "said", text: "go" }
const ended: Chat.Action = { type: "ended" }
const answered = fold(Chat.empty, said, heard(start, text("It is noon."), stop("end_turn")), ended)

describe("what a screen reader is told", () => {
  it("is the answer once it is whole", () => {
    const streaming = fold(Chat.empty, said, heard(start, text("It is noon.")))
    assert.strictEqual(streaming.spoken, "The agent is answering.")
    assert.strictEqual(answered.spoken, "The agent said: It is noon.")
  })

  it("is no old answer where a turn ends with an error", () => {
    assert.strictEqual(fold(answered, said, heard(start, stop("error")), ended).spoken, "The turn ended with an error.")
    assert.strictEqual(
      fold(answered, said, heard(start, text("It is"), stop("max_tokens")), ended).spoken,
      "The agent said: It is The turn ended at the limit of tokens."
    )
  })

  it("is no old answer where a session is gone on with", () => {
    const history = [
      { role: "user", content: "go" },
      { role: "assistant", content: "It is noon." }
    ] as const
    const resumed = fold(answered, { type: "wentOn" }, { type: "opened", history }, { type: "wentOn" })
    assert.strictEqual(resumed.spoken, "")
    assert.strictEqual(fold(resumed, ended).spoken, "")
    assert.strictEqual(
      fold(resumed, heard(start, text("So it is."), stop("end_turn")), ended).spoken,
      "The agent said: So it is."
    )
  })

  it("is that a turn was stopped; a failure's note speaks for itself", () => {
    const answering = fold(answered, said, heard(start, text("It")))
    assert.strictEqual(fold(answering, { type: "stopped" }).spoken, "Stopped.")
    const problem = { title: "No connection", message: "the server cannot be reached" }
    assert.strictEqual(fold(answering, { type: "failed", problem }).spoken, "")
  })
})
