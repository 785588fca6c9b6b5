import { Effect } from "effect"
import type { HistoryMessage } from "../../protocol/Message.ts"
import { clientTool, needsClientTools } from "../CheckTools.ts"
import * as Cue from "../Cue.ts"
import { inEachMode } from "../EachMode.ts"
import * as Fed from "../Fed.ts"
import * as Histories from "../Histories.ts"
import { plainly, spoken } from "../Plain.ts"
import { broken, expect, expectSame, quoted, type Rule } from "../Rule.ts"
import * as Sessions from "../Sessions.ts"
import { Subject } from "../Subject.ts"
import * as ToldTurn from "../ToldTurn.ts"
import * as Turns from "../Turns.ts"

const lookup = clientTool("aap_lookup")

const instructions = { role: "system", content: "Answer in rhyme." } as const

const seeded: ReadonlyArray<HistoryMessage> = [
  instructions,
  {
    role: "user",
    content: [
      { type: "text", text: "Which colour is" },
      { type: "text", text: "the sea?" }
    ]
  },
  {
    role: "assistant",
    content: [
      { type: "text", text: "I look." },
      { type: "tool_use", toolCallId: "call_seeded", name: lookup.name, input: { key: "sea" } }
    ]
  },
  { role: "tool", toolCallId: "call_seeded", content: [{ type: "text", text: "Green." }] },
  { role: "assistant", content: "Green it is." }
]

const seedsAll: Rule = {
  id: "seeded-roles",
  section: "2 POST /sessions body",
  says: "System and tool messages, calls and blocks seed the history as well: the model is fed all of them.",
  check: Effect.gen(function* () {
    const { agent } = yield* Subject
    const takesTools = agent.capabilities?.application?.tools !== undefined
    const id = yield* Sessions.open({ messages: seeded, ...(takesTools ? { tools: [lookup] } : {}) })
    const { message, tag } = yield* Cue.make([{ text: ["ok"] }])
    yield* Turns.takeTo("end_turn", id, [message])
    const given = yield* Fed.messages(tag)
    for (const text of [instructions.content, "Which colour is", "the sea?", "I look.", "Green.", "Green it is."]) {
      yield* expect(Fed.has(given, text), `the model is not fed ${quoted(text)}, which was seeded: ${quoted(given)}`)
    }
    yield* expect(
      given.some(({ calls }) => calls.length > 0),
      `the model is not fed the call that was seeded: ${quoted(given)}`
    )
    const said = spoken(plainly(seeded))
    yield* Histories.expectKept(id, said, 0, said.length)
    yield* Histories.expectInstructions(id, instructions.content)
  })
}

const takesSeveral: Rule = {
  id: "two-user-messages",
  section: "2 POST turns body",
  says: "A turn may have several user messages: the model is fed each, and the history has each.",
  check: Effect.gen(function* () {
    const id = yield* Sessions.open()
    const { message, tag } = yield* Cue.make([{ text: ["ok"] }])
    const first = { role: "user", content: "Mind the gap." } as const
    const { messages } = yield* Turns.takeTo("end_turn", id, [first, message])
    const given = yield* Fed.messages(tag)
    yield* expect(
      Fed.has(given, first.content),
      `the model is not fed the first of two user messages: ${quoted(given)}`
    )
    yield* Histories.expectKept(id, [first, message, ...messages])
  })
}

/** What an assistant says in a message: its texts, and the inputs of its calls, in order. */
const said = ({ content, role }: HistoryMessage): ReadonlyArray<unknown> => {
  if (role !== "assistant" || typeof content === "string") return [content]
  return content.flatMap((block): ReadonlyArray<unknown> => {
    if (block.type === "text") return [block.text]
    return block.type === "tool_use" ? [block.input] : []
  })
}

const keepsText: Rule = {
  id: "text-beside-calls",
  section: "3 none",
  says: "What the model says before it calls tools stands before its calls, whole and in order, in every mode and in the history.",
  check: Effect.gen(function* () {
    yield* needsClientTools
    const id = yield* Sessions.open({ tools: [lookup] })
    const [sky, sea] = [{ key: "sky" }, { key: "sea" }]
    const { message, tag } = yield* Cue.make(
      [
        { text: ["Let me ", "look."] },
        { call: { name: lookup.name, input: sky } },
        { call: { name: lookup.name, input: sea } }
      ],
      [{ text: ["Both are blue."] }]
    )
    const first = yield* Turns.takeTo("tool_use", id, [message])
    yield* expectSame("what the turn added", first.messages.flatMap(said), ["Let me look.", sky, sea])
    yield* Histories.expectKept(id, [message, ...first.messages])
    const [skyCall, seaCall] = ToldTurn.callsOf(first)
    if (skyCall === undefined || seaCall === undefined) return yield* broken("the turn has not both calls")
    const answers = [
      { role: "tool", toolCallId: seaCall.toolCallId, content: "sea-blue" },
      { role: "tool", toolCallId: skyCall.toolCallId, content: "sky-blue" }
    ] as const
    yield* Turns.takeTo("end_turn", id, answers)
    const given = yield* Fed.messages(tag)
    yield* expect(
      Fed.has(given, "Let me look.", "assistant"),
      `the model is not fed what it said before its calls: ${quoted(given)}`
    )
  })
}

/** The rules of what is said, whoever says it. */
export const rules: ReadonlyArray<Rule> = [seedsAll, takesSeveral, inEachMode(keepsText)]
