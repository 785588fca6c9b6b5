import { Effect } from "effect"
import { AgentServer } from "../AgentServer.ts"
import { clientTool, needsClientTools } from "../CheckTools.ts"
import * as Cue from "../Cue.ts"
import * as Fed from "../Fed.ts"
import * as Histories from "../Histories.ts"
import { ModelControl } from "../ModelControl.ts"
import { expect, expectSame, quoted, type Rule } from "../Rule.ts"
import * as Sessions from "../Sessions.ts"
import * as Streaming from "../Streaming.ts"
import * as ToldTurn from "../ToldTurn.ts"
import * as Turns from "../Turns.ts"

/** Letters beyond the basic plane, marks that combine, what runs from right to left, separators of lines, and escapes. */
const unusual = 'ﷺ 東京 👩‍🚀 e\u0301 שלום \u2028\u2029 \\ " \t\n \u0001 \u{1f468}\u200d\u{1f469} \ufeff end'

const keepsUnicode: Rule = {
  id: "unicode",
  section: "1 JSON in UTF-8",
  says: "Any text is the same on all its ways: in what is said, in answers, in a call's input and in its result.",
  check: Effect.gen(function* () {
    yield* needsClientTools
    const lookup = clientTool("aap_lookup")
    const id = yield* Sessions.open({ tools: [lookup] })
    const { message, tag } = yield* Cue.make(
      [{ call: { name: lookup.name, input: { key: unusual, [unusual]: 1 } } }],
      [{ text: [...unusual] }]
    )
    const said = { role: "user", content: `${unusual} ${String(message.content)}` } as const
    const call = yield* ToldTurn.callOf(yield* Turns.takeTo("tool_use", id, [said]), lookup.name)
    yield* expectSame("the input of the call", call.input, { key: unusual, [unusual]: 1 })
    const { toolCallId } = call
    const { messages } = yield* Turns.takeTo("end_turn", id, [{ role: "tool", toolCallId, content: unusual }])
    yield* expectSame("the answer", messages, [{ role: "assistant", content: unusual }])
    const results = Fed.latestResults(yield* Fed.messages(tag))
    yield* expect(
      Fed.has(results, unusual),
      `the result that the model is fed is ${quoted(results)}, without ${quoted(unusual)}`
    )
    const history = yield* Histories.of(id)
    yield* expectSame("the first message of the history", history[0], said)
    yield* expectSame("the result in the history", history[2], { role: "tool", toolCallId, content: unusual })
  })
}

const survivesLeaving: Rule = {
  id: "disconnect",
  section: "4 The server's own",
  says: "A client that leaves in the middle of a turn leaves a session that goes on, with what was said in its history.",
  check: Effect.gen(function* () {
    yield* Turns.needsMode("delta")
    const id = yield* Sessions.open()
    const { message, tag } = yield* Cue.make([{ text: ["The sky "] }, { hold: true }, { text: ["is blue."] }])
    const begun = yield* Effect.scoped(
      Effect.flatMap(Streaming.start(Turns.ask(id, { stream: "delta", messages: [message] })), ({ delta }) => delta)
    )
    yield* expect(begun, "no delta has come that a client could leave behind")
    yield* (yield* ModelControl).release(tag)
    const again = yield* Cue.make([{ text: ["Here again."] }])
    yield* Streaming.untilFree(Turns.ask(id, { stream: "delta", messages: [again.message] }))
    const history = yield* Histories.of(id)
    yield* expectSame("the first message of the history", history[0], message)
    yield* expectSame("the end of the history", history.slice(-2), [
      again.message,
      { role: "assistant", content: "Here again." }
    ])
  })
}

const keepsApart: Rule = {
  id: "sessions-apart",
  section: "4 The server's own",
  says: "Sessions run side by side, and nothing of one is in another.",
  check: Effect.gen(function* () {
    const names = Array.from({ length: 8 }, (_, index) => `answer ${index}`)
    yield* Effect.forEach(
      names,
      (text) =>
        Effect.gen(function* () {
          const id = yield* Sessions.open()
          const { message } = yield* Cue.make([{ text: [...text] }])
          const { messages } = yield* Turns.takeTo("end_turn", id, [message])
          yield* expectSame("what the turn added", messages, [{ role: "assistant", content: text }])
          yield* expectSame("the history", yield* Histories.of(id), [message, ...messages])
        }),
      { concurrency: "unbounded" }
    )
  })
}

const takesOneTurn: Rule = {
  id: "turns-one-by-one",
  section: "4 Full",
  says: "Two turns of a session at once are one after the other, or one is refused; each that is taken is whole in the history.",
  check: Effect.gen(function* () {
    const { ask } = yield* AgentServer
    const id = yield* Sessions.open()
    const cues = yield* Effect.forEach(["left", "right"], (text) =>
      Effect.map(Cue.make([{ text: [text] }]), ({ message }) => ({ text, message }))
    )
    const statuses = yield* Effect.forEach(
      cues,
      ({ message }) =>
        Effect.map(Effect.flatMap(Turns.ownAsk(id, { messages: [message] }), ask), ({ status }) => status),
      { concurrency: "unbounded" }
    )
    const taken = cues.filter((_, index) => statuses[index] === 200)
    yield* expect(
      taken.length > 0 && statuses.every((status) => status === 200 || (status >= 400 && status < 500)),
      `two turns at once are answered ${quoted(statuses)}; 200, and 200 or 4xx would be right`
    )
    const history = yield* Histories.of(id)
    yield* expect(
      history.length === taken.length * 2,
      `the history has ${history.length} messages of ${taken.length} turns: ${quoted(history)}`
    )
    for (const { message, text } of taken) {
      const at = history.findIndex(({ content }) => content === message.content)
      yield* expectSame("a turn in the history", history.slice(at, at + 2), [
        message,
        { role: "assistant", content: text }
      ])
    }
  })
}

/** The rules of what a server withstands. */
export const rules: ReadonlyArray<Rule> = [keepsUnicode, survivesLeaving, keepsApart, takesOneTurn]
