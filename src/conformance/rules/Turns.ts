import { Effect, Predicate, Result, Schema } from "effect"
import type { StreamMode } from "../../protocol/Turn.ts"
import { TurnResponse } from "../../protocol/Turn.ts"
import type { TurnEvent, TurnEventName } from "../../protocol/TurnEvent.ts"
import * as Asking from "../Asking.ts"
import * as Cue from "../Cue.ts"
import { inEachMode } from "../EachMode.ts"
import * as Histories from "../Histories.ts"
import { ModelControl } from "../ModelControl.ts"
import { spoken } from "../Plain.ts"
import * as RawSse from "../RawSse.ts"
import { expect, expectSame, notApplicable, quoted, type Rule } from "../Rule.ts"
import * as Sessions from "../Sessions.ts"
import * as Streaming from "../Streaming.ts"
import { Subject } from "../Subject.ts"
import * as ToldTurn from "../ToldTurn.ts"
import * as Turns from "../Turns.ts"

const pieces = ["The sky ", "is blue", ".\nMostly."]
const whole = pieces.join("")

const streamed = ["delta", "message"] as const
type Streamed = (typeof streamed)[number]

/** A rule of both streamed modes, once for each. */
const ofBoth = (make: (mode: Streamed) => Rule): ReadonlyArray<Rule> => streamed.map(make)

const simple = Effect.fnUntraced(function* (mode: StreamMode) {
  yield* Turns.needsMode(mode)
  const { message } = yield* Cue.make([{ text: pieces }])
  return yield* Turns.take(yield* Sessions.open(), [message], { stream: mode })
})

const frames = ofBoth((mode) => ({
  id: `framing-${mode}`,
  section: "3 SSE modes",
  says: `A ${mode} stream is text/event-stream: for each event a line of its name, one line of JSON, and a blank line.`,
  check: Effect.gen(function* () {
    yield* Turns.needsMode(mode)
    const { message } = yield* Cue.make([{ text: pieces }])
    const id = yield* Sessions.open()
    const { bytes, contentType } = yield* Asking.ask(Turns.ask(id, { stream: mode, messages: [message] }), 200)
    yield* expect(
      /^text\/event-stream\b/i.test(contentType),
      `the answer is of the type ${quoted(contentType)}; text/event-stream would be right`
    )
    const events = RawSse.read(bytes)
    yield* expect(Result.isSuccess(events), Result.isFailure(events) ? events.failure : "")
  })
}))

const orders = ofBoth((mode) => ({
  id: `order-${mode}`,
  section: "3 SSE modes",
  says: `A ${mode} stream begins with turn_start and ends with turn_stop, one of each.`,
  check: Effect.gen(function* () {
    // That every stream is in order is found wherever one is read.
    const { events } = yield* simple(mode)
    const data = events[0]?.data
    yield* expect(
      Predicate.isObject(data) && !Array.isArray(data),
      `the data of turn_start is ${quoted(data)}; {} would be right`
    )
  })
}))

const others: Readonly<Record<Streamed, ReadonlyArray<TurnEventName>>> = {
  delta: ["text", "thinking"],
  message: ["text_delta", "thinking_delta"]
}

/** The name of an event that this mode does not have. */
const strayOf = (mode: Streamed, events: ReadonlyArray<TurnEvent>) =>
  events.find(({ event }) => others[mode].includes(event))?.event

const keepsKinds = ofBoth((mode) => ({
  id: `events-${mode}`,
  section: "3 Events",
  says:
    mode === "delta" ? "delta has text as deltas alone, that make the whole." : "message has each text once, whole.",
  check: Effect.gen(function* () {
    const { events } = yield* simple(mode)
    const stray = strayOf(mode, events)
    yield* expect(stray === undefined, `a ${mode} stream has an event ${stray}`)
    const deltas = events.flatMap((event) => (event.event === "text_delta" ? [event.data.delta] : []))
    const texts = events.flatMap((event) => (event.event === "text" ? [event.data.text] : []))
    if (mode === "delta") yield* expectSame("the text of the deltas", deltas.join(""), whole)
    else yield* expectSame("the texts", texts, [whole])
  })
}))

const streamsAtOnce: Rule = {
  id: "deltas-at-once",
  section: "3 SSE modes",
  says: "Deltas are sent as the model makes them, turn_start before any.",
  check: Effect.gen(function* () {
    yield* Turns.needsMode("delta")
    // Several words: a server may send a word once the next has begun.
    const { message, tag } = yield* Cue.make([
      { text: ["The ", "first ", "half, ", "and"] },
      { hold: true },
      { text: [" the", " second"] }
    ])
    const id = yield* Sessions.open()
    const answer = yield* Streaming.start(Turns.ask(id, { stream: "delta", messages: [message] }))
    const early = yield* answer.delta
    yield* (yield* ModelControl).release(tag)
    yield* expect(
      early,
      "no delta has come while the model waited in the middle of its answer; each is to be sent when it is made"
    )
    const { messages } = yield* ToldTurn.fromEvents(yield* answer.whole)
    yield* expect(
      messages.length === 1 && messages.every(({ content }) => content === "The first half, and the second"),
      `the rest of the answer has not come: ${quoted(messages)}`
    )
  })
}

const answersNone: Rule = {
  id: "none",
  section: "3 none",
  says: "Without stream a turn answers {stopReason, messages} as JSON; one block of text is a plain string.",
  check: Effect.gen(function* () {
    yield* Turns.needsMode("none")
    const { message } = yield* Cue.make([{ text: pieces }])
    const id = yield* Sessions.open()
    const answer = yield* Asking.ask(Turns.ask(id, { messages: [message] }), 200)
    const { messages, stopReason } = yield* Asking.bodyOf(TurnResponse, answer)
    yield* expectSame(
      "the answer",
      { stopReason, messages: spoken(messages) },
      { stopReason: "end_turn", messages: [{ role: "assistant", content: whole }] }
    )
  })
}

const Thought = Schema.Struct({ type: Schema.Literal("thinking"), thinking: Schema.String })

const thinks: Rule = {
  id: "thinking",
  section: "3 Events",
  says: "Reasoning that the agent shows is thinking, before the text that it led to, in every mode.",
  check: Effect.gen(function* () {
    const { message } = yield* Cue.make([{ thinking: ["Blue ", "or grey?"] }, { text: pieces }])
    const id = yield* Sessions.open()
    const { events, messages } = yield* Turns.takeTo("end_turn", id, [message])
    const [mode] = (yield* Subject).modes
    const stray = mode === "delta" || mode === "message" ? strayOf(mode, events) : undefined
    yield* expect(stray === undefined, `a ${mode} stream has an event ${stray}`)
    const [first] = messages
    if (typeof first?.content === "string") {
      yield* expect(!first.content.includes("or grey?"), "the reasoning stands in the text")
      return yield* notApplicable("the agent does not show the model's reasoning")
    }
    yield* expect(Schema.is(Thought)(first?.content[0]), `the message does not begin with thinking: ${quoted(first)}`)
    yield* expectSame("the message", first?.content, [
      { type: "thinking", thinking: "Blue or grey?" },
      { type: "text", text: whole }
    ])
  })
}

const agree: Rule = {
  id: "modes-agree",
  section: "3 none",
  says: "All modes and the history tell the same turn.",
  check: Effect.gen(function* () {
    const told = yield* Effect.forEach(["delta", "message", "none"] as const, (mode) =>
      Effect.gen(function* () {
        yield* Turns.needsMode(mode)
        const { message } = yield* Cue.make([{ thinking: ["Hm."] }, { text: pieces }])
        const id = yield* Sessions.open()
        const { messages, stopReason } = yield* Turns.take(id, [message], { stream: mode })
        return { mode, stopReason, messages, id }
      }).pipe(Effect.catchTag("NotApplicable", () => Effect.void))
    )
    const [first, ...rest] = told.flatMap((turn) => turn ?? [])
    if (first === undefined || rest.length === 0) return yield* notApplicable("the agent declares fewer than two modes")
    for (const { messages, mode, stopReason } of rest) {
      const what = `what ${mode} tells, beside ${first.mode},`
      yield* expectSame(what, { stopReason, messages }, { stopReason: first.stopReason, messages: first.messages })
    }
    for (const { id, messages, mode } of [first, ...rest]) {
      yield* expectSame(`the history of a turn in ${mode}`, (yield* Histories.of(id)).slice(1), messages)
    }
  })
}

/** The rules of how a turn is answered. */
export const rules: ReadonlyArray<Rule> = [
  ...frames,
  ...orders,
  ...keepsKinds,
  streamsAtOnce,
  answersNone,
  inEachMode(thinks),
  agree
]
