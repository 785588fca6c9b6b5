import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { SessionEvent } from "../../src/client/ClientSession.ts"
import * as ChatView from "../../src/cli/ChatView.ts"
import { cut, jsonLine, onOneLine, printable } from "../../src/client/Printable.ts"
import { TurnEvent } from "../../src/protocol/TurnEvent.ts"

/** Text that is likely to be dangerous. */
const Nasty = Schema.Array(
  Schema.Union([
    Schema.String,
    Schema.Literals([
      "\x1b[2J",
      "\x1b]0;owned\x07",
      "\x9b31m",
      "\r",
      "\x7f",
      "\b",
      "\u202e",
      "\n",
      "\t",
      "\x1b[2m",
      "é",
      "😀"
    ])
  ])
)

const NastyEvent = Schema.Union([
  TurnEvent,
  Schema.Struct({
    event: Schema.Literals(["client_result", "tool_result"]),
    data: Schema.Struct({ toolCallId: Schema.String, content: Schema.String })
  }),
  Schema.Struct({
    event: Schema.Literal("permission"),
    data: Schema.Struct({ toolCallId: Schema.String, granted: Schema.Boolean, reason: Schema.String })
  })
])

/** Every text in an event, made nasty. */
const spoil = (event: SessionEvent, nasty: string): SessionEvent =>
  JSON.parse(
    JSON.stringify(event, (key, value: unknown) =>
      typeof value === "string" && !["event", "stopReason", "type"].includes(key) ? value + nasty : value
    )
  ) as SessionEvent

const showAll = (events: ReadonlyArray<SessionEvent>): ReadonlyArray<ChatView.Piece> => {
  let view = ChatView.empty
  const all: Array<ChatView.Piece> = []
  for (const event of events) {
    const [next, pieces] = ChatView.show(view, event)
    view = next
    all.push(...pieces)
  }
  return [...all, ...ChatView.end(view)[1]]
}

const textTo = (pieces: ReadonlyArray<ChatView.Piece>, to: ChatView.Piece["to"]) =>
  pieces.flatMap((piece) => (piece.to === to ? [piece.text] : [])).join("")

const controls = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/u

describe("what a chat shows", () => {
  it.prop(
    "has no control characters from any event, and no other colour than its own",
    [Schema.Array(NastyEvent), Nasty],
    ([events, nasty]) => {
      const pieces = showAll(events.map((event) => spoil(event, nasty.join(""))))
      const plain = pieces.map((piece) => ChatView.paint(piece, false)).join("")
      assert.notMatch(plain, controls)
      const painted = pieces.map((piece) => ChatView.paint(piece, true)).join("")
      assert.strictEqual(painted.replaceAll("\x1b[2m", "").replaceAll("\x1b[22m", ""), plain)
    }
  )

  it.prop("gives the answer's text alone to the answer, however it is cut", [Nasty], ([parts]) => {
    const deltas = parts.map((delta): SessionEvent => ({ event: "text_delta", data: { delta } }))
    const whole: SessionEvent = { event: "text", data: { text: parts.join("") } }
    const around = (events: ReadonlyArray<SessionEvent>): ReadonlyArray<SessionEvent> => [
      { event: "turn_start", data: {} },
      { event: "thinking_delta", data: { delta: "a secret thought" } },
      ...events,
      { event: "turn_stop", data: { stopReason: "refusal" } }
    ]
    const expected = printable(parts.join(""))
    const ended = expected === "" || expected.endsWith("\n") ? expected : `${expected}\n`
    for (const told of [deltas, [whole], [...deltas, whole]]) {
      assert.strictEqual(textTo(showAll(around(told)), "answer"), ended)
    }
  })

  it.prop(
    "puts a call, a result and a permission on a line each, and cuts it",
    [Schema.String, Nasty],
    ([name, nasty]) => {
      const text = nasty.join("")
      const events: ReadonlyArray<SessionEvent> = [
        {
          event: "tool_call",
          data: { toolCallId: "1", name: `look${name}`.slice(0, 20), input: { text: text.repeat(50) } }
        },
        { event: "permission", data: { toolCallId: "1", granted: false, reason: text } },
        { event: "tool_result", data: { toolCallId: "1", content: text.repeat(50) } }
      ]
      const pieces = showAll(events)
      assert.strictEqual(pieces.length, 3)
      for (const { text } of pieces) assert.strictEqual(text.indexOf("\n"), text.length - 1)
      for (const index of [0, 2]) assert.isBelow(pieces[index]?.text.length ?? 0, 300)
    }
  )

  it("reads like this", () => {
    const pieces = showAll([
      { event: "turn_start", data: {} },
      { event: "thinking_delta", data: { delta: "Hm." } },
      { event: "text_delta", data: { delta: "Let me " } },
      { event: "text_delta", data: { delta: "look.\x1b[2J" } },
      { event: "tool_call", data: { toolCallId: "1", name: "look", input: { at: "here" } } },
      { event: "turn_stop", data: { stopReason: "tool_use" } },
      { event: "permission", data: { toolCallId: "1", granted: true } },
      { event: "turn_start", data: {} },
      { event: "tool_result", data: { toolCallId: "1", content: [{ type: "text", text: "a\nb" }] } },
      { event: "text", data: { text: "Seen." } },
      { event: "turn_stop", data: { stopReason: "max_tokens" } }
    ])
    assert.strictEqual(
      pieces.map((piece) => ChatView.paint(piece, false)).join(""),
      `Hm.
Let me look.\\x1b[2J
→ look {"at":"here"}
granted: look
← look: a b
Seen.
The answer was cut off at the limit of tokens.
`
    )
    assert.strictEqual(textTo(pieces, "answer"), "Let me look.\\x1b[2J\nSeen.\n")
    assert.strictEqual(pieces[0] && ChatView.paint(pieces[0], true), "\x1b[2mHm.\x1b[22m")
  })
})

describe("a call that is told twice", () => {
  const call = (name: string): SessionEvent => ({ event: "tool_call", data: { toolCallId: "c", name, input: {} } })
  const result: SessionEvent = { event: "client_result", data: { toolCallId: "c", content: "so" } }

  it("is shown as it was told first, until its result: the same call runs", () => {
    const pieces = showAll([call("look"), call("leap"), result, call("leap")])
    const text = pieces.map((piece) => ChatView.paint(piece, false)).join("")
    assert.strictEqual(text, "→ look {}\n← look: so\n→ leap {}\n")
  })

  it("is another one once it was denied", () => {
    const denied: SessionEvent = { event: "permission", data: { toolCallId: "c", granted: false } }
    const pieces = showAll([call("look"), denied, call("leap")])
    const text = pieces.map((piece) => ChatView.paint(piece, false)).join("")
    assert.strictEqual(text, "→ look {}\ndenied: look\n→ leap {}\n")
  })
})

describe("printable text", () => {
  it.prop("is the text where that is harmless, and the same again", [Schema.String, Nasty], ([text, nasty]) => {
    if (!controls.test(text)) assert.strictEqual(printable(text), text)
    const once = printable(nasty.join(""))
    assert.strictEqual(printable(once), once)
    assert.notInclude(onOneLine(nasty.join("")), "\n")
  })

  it.prop("is JSON of the same value on one line", [Nasty], ([nasty]) => {
    const line = jsonLine({ nasty })
    assert.notMatch(line, /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u)
    assert.deepStrictEqual(JSON.parse(line), JSON.parse(JSON.stringify({ nasty })))
  })

  it("spells what is not seen, or changes how the rest is read, and leaves what people write with", () => {
    assert.strictEqual(
      printable("a\u200b\u200f\u061c\ufeff\u2028\u2029\u2066\u{e0041}\u00ad\u3164\u2800b\r\n"),
      "a\\u200b\\u200f\\u061c\\ufeff\\u2028\\u2029\\u2066\\udb40\\udc41\\xad\\u3164\\u2800b\n"
    )
    for (const text of ["👩‍👩‍👧", "می‌خواهم", "❤️"]) assert.strictEqual(printable(text), text)
  })

  it("shows the input of a call to the letter", () => {
    const input = { command: 'rm "a  b"\n\u202etxt', "\u{e0041}": 1 }
    const text = ChatView.callText({ toolCallId: "1", name: "run\n command", input })
    assert.isTrue(text.startsWith("run command {"))
    assert.include(text, "a  b")
    assert.notMatch(text, /[\p{Cc}\u202e\u{e0041}]/u)
    assert.deepStrictEqual(JSON.parse(text.slice("run command ".length)), input)
  })

  it("is cut between characters, and says how much is missing", () => {
    assert.strictEqual(cut("abc", 3), "abc")
    assert.strictEqual(cut("abcdef", 3), "abc… (3 more characters)")
    assert.strictEqual(cut("ab😀cd", 3), "ab… (4 more characters)")
  })
})
