import { Effect } from "effect"
import type { HistoryMessage } from "../../protocol/Message.ts"
import { clientTool, needsClientTools } from "../CheckTools.ts"
import * as Cue from "../Cue.ts"
import * as Fed from "../Fed.ts"
import * as Histories from "../Histories.ts"
import { expect, expectSame, quoted, type Rule } from "../Rule.ts"
import * as Sessions from "../Sessions.ts"
import * as Turns from "../Turns.ts"

const lookup = clientTool("aap_lookup")

const isExact: Rule = {
  id: "full-history",
  section: "4 Full",
  says: "The full history is all that was said, exactly and in order.",
  check: Effect.gen(function* () {
    const seeded: ReadonlyArray<HistoryMessage> = [
      { role: "user", content: "Hello." },
      { role: "assistant", content: "Hello, too." }
    ]
    const id = yield* Sessions.open({ messages: seeded })
    const said: Array<HistoryMessage> = [...seeded]
    for (const text of ["one", "two", "three"]) {
      const { message } = yield* Cue.make([{ text: [text] }])
      const { messages } = yield* Turns.takeTo("end_turn", id, [message])
      said.push(message, ...messages)
    }
    yield* expectSame("the history", yield* Histories.of(id), said)
  })
}

const isFed: Rule = {
  id: "server-feeds",
  section: "4 The server's own",
  says: "The server owns the history: a turn has the new messages alone, and the model is fed what was said before.",
  check: Effect.gen(function* () {
    const id = yield* Sessions.open()
    const first = yield* Cue.make([{ text: ["The sky is blue."] }])
    yield* Turns.takeTo("end_turn", id, [first.message])
    const second = yield* Cue.make([{ text: ["So it is."] }])
    yield* Turns.takeTo("end_turn", id, [second.message])
    const given = yield* Fed.messages(second.tag)
    yield* expect(
      Fed.has(given, first.tag, "user") && Fed.has(given, "The sky is blue.", "assistant"),
      `the model is fed ${quoted(given)}, without the turn before`
    )
  })
}

const resumes: Rule = {
  id: "resume",
  section: "4 Resuming",
  says: "A client with no memory resumes from the history: calls without a tool message are open, and can be answered.",
  check: Effect.gen(function* () {
    yield* needsClientTools
    const id = yield* Sessions.open({ tools: [lookup] })
    const { message } = yield* Cue.make(
      [{ text: ["Let me see."] }, { call: { name: lookup.name, input: { key: "sky" } } }],
      [{ text: ["Blue."] }]
    )
    yield* Turns.takeTo("tool_use", id, [message])
    const last = (yield* Histories.of(id)).at(-1)
    const calls =
      last?.role === "assistant" && typeof last.content !== "string"
        ? last.content.filter((block) => block.type === "tool_use")
        : []
    const [call] = calls
    yield* expect(
      call?.name === lookup.name && calls.length === 1,
      `the history ends with ${quoted(last)}, without the open call`
    )
    if (call === undefined) return
    const answer = { role: "tool", toolCallId: call.toolCallId, content: "blue" } as const
    const { messages } = yield* Turns.takeTo("end_turn", id, [answer])
    yield* expectSame("what the turn added", messages, [{ role: "assistant", content: "Blue." }])
  })
}

const compacts: Rule = {
  id: "compacted-history",
  section: "4 Compacted",
  says: "The compacted history is what the model is fed: of a short session, all that was said last.",
  check: Effect.gen(function* () {
    const id = yield* Sessions.open()
    const { message } = yield* Cue.make([{ text: ["Blue."] }])
    const { messages } = yield* Turns.takeTo("end_turn", id, [message])
    const compacted = yield* Histories.of(id, "compacted")
    yield* expectSame("the end of the compacted history", compacted.slice(-2), [message, ...messages])
  })
}

const survivesFailure: Rule = {
  id: "history-after-error",
  section: "4 Full",
  says: "A turn that fails leaves what was said before as it was.",
  check: Effect.gen(function* () {
    const id = yield* Sessions.open()
    const first = yield* Cue.make([{ text: ["The sky is blue."] }])
    const { messages } = yield* Turns.takeTo("end_turn", id, [first.message])
    yield* Turns.takeTo("error", id, [(yield* Cue.make([{ fail: 400 }])).message])
    yield* Histories.expectKept(id, [first.message, ...messages], 0, 2)
    const last = yield* Cue.make([{ text: ["So it is."] }])
    yield* Turns.takeTo("end_turn", id, [last.message])
    const given = yield* Fed.messages(last.tag)
    yield* expect(
      Fed.has(given, first.tag, "user") && Fed.has(given, "The sky is blue.", "assistant"),
      `the model is not fed what was said before the turn that failed: ${quoted(given)}`
    )
    yield* Histories.expectKept(id, [first.message, ...messages], 0, 2)
    yield* Histories.expectKept(id, [last.message, { role: "assistant", content: "So it is." }], -2)
  })
}

/** The rules of histories. */
export const rules: ReadonlyArray<Rule> = [isExact, survivesFailure, isFed, resumes, compacts]
