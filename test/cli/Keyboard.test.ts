import { assert, describe, it } from "@effect/vitest"
import { type Cause, Effect, Fiber, Option, Queue, Ref, Schema, Terminal } from "effect"
import * as Keyboard from "../../src/cli/Keyboard.ts"
import * as TypeAhead from "../../src/cli/TypeAhead.ts"

const key = (name: string, input?: string, ctrl = false): Terminal.UserInput => ({
  input: Option.fromUndefinedOr(input),
  key: { name, ctrl, meta: false, shift: false }
})
const enter = key("return", "\r")
const backspace = key("backspace", "\x7f")
const interrupt = key("c", "\x03", true)
const letters = (text: string) => [...text].map((letter) => key(letter, letter))

/** A terminal whose keys are given by the test, each list at once; a key that quits ends the input, as in Node. */
const fakeTerminal = Effect.gen(function* () {
  const input = yield* Ref.make(yield* Queue.unbounded<Terminal.UserInput, Cause.Done>())
  const press = Effect.fnUntraced(function* (keys: ReadonlyArray<Terminal.UserInput>) {
    const queue = yield* Ref.get(input)
    yield* Queue.offerAll(queue, keys)
    if (keys.some(TypeAhead.isQuit)) {
      yield* Ref.set(input, yield* Queue.unbounded<Terminal.UserInput, Cause.Done>())
      yield* Queue.end(queue)
    }
    for (let turn = 0; turn < 20; turn++) yield* Effect.yieldNow
  })
  const terminal = Terminal.make({
    columns: Effect.succeed(80),
    rows: Effect.succeed(24),
    size: Effect.die("unused"),
    readInput: Ref.get(input),
    readLine: Effect.die("unused"),
    display: () => Effect.void
  })
  return { terminal, press, end: Effect.flatMap(Ref.get(input), Queue.end) }
})

const names = (keys: ReadonlyArray<Terminal.UserInput>) => keys.map(({ input }) => Option.getOrElse(input, () => ""))

describe("what is typed ahead", () => {
  it("is the text that was typed, with its lines, as it was mended", () => {
    const keys = [
      ...letters("helo"),
      backspace,
      ...letters("lo 👩‍🚀"),
      enter,
      key("left", "\x1b[D"),
      ...letters("more")
    ]
    assert.strictEqual(keys.reduce(TypeAhead.typed, ""), "hello 👩‍🚀\nmore")
    assert.strictEqual([...letters("a👍"), backspace].reduce(TypeAhead.typed, ""), "a")
    assert.strictEqual(
      [...letters("never"), key("u", "\x15", true), ...letters("mind")].reduce(TypeAhead.typed, ""),
      "mind"
    )
  })

  it.prop("has no control character but new lines and tabs", [Schema.Array(Schema.String)], ([inputs]) => {
    const text = inputs.map((input) => key("", input)).reduce(TypeAhead.typed, "")
    assert.notMatch(text.replaceAll(/[\n\t]/g, ""), /\p{Cc}/u)
  })

  it("keeps the lines of what was pasted together, in one piece, and its last Enter sends it off", () => {
    const keys = TypeAhead.together([
      ...letters("ab"),
      enter,
      ...letters("c"),
      key("left", "\x1b[D"),
      ...letters("d"),
      enter
    ])
    assert.deepStrictEqual(
      keys.map((input) => [Option.getOrElse(input.input, () => ""), input.key.name]),
      [
        ["ab\nc", ""],
        ["\x1b[D", "left"],
        ["d", ""],
        ["\r", "return"]
      ]
    )
  })

  it("is one text between the marks of a paste, in however many pieces it comes, and nothing in it sends it off", () => {
    const start = key("paste-start")
    const end = key("paste-end")
    const all = [...letters("a"), start, ...letters("b"), enter, key("tab", "\t"), enter, end, enter]
    for (let cut = 0; cut <= all.length; cut++) {
      const [first, open] = TypeAhead.unmarked(Option.none(), all.slice(0, cut))
      const [second, after] = TypeAhead.unmarked(open, all.slice(cut))
      assert.deepStrictEqual(names([...first, ...second]), ["a", "b\n\t\n", "\r"])
      assert.isTrue(Option.isNone(after))
    }
    assert.deepStrictEqual(TypeAhead.unmarked(Option.none(), [start, end]), [[], Option.none()])
    const [left, after] = TypeAhead.unmarked(Option.none(), [start, ...letters("b"), interrupt])
    assert.deepStrictEqual(names(left), ["b", "\x03"])
    assert.isTrue(Option.isNone(after))
  })

  it.prop(
    "is typed alike at once and key by key, but for the last Enter",
    [Schema.Array(Schema.String)],
    ([inputs]) => {
      const keys = inputs.map((input) => (input === "" ? enter : key("", input)))
      const type = (keys: ReadonlyArray<Terminal.UserInput>) => keys.reduce(TypeAhead.typed, "")
      assert.strictEqual(type(TypeAhead.together(keys)), type(keys))
    }
  )
})

describe("a keyboard", () => {
  it.effect("gives keys to the question that is open, and keeps the others for the next line, once", () =>
    Effect.gen(function* () {
      const { press, terminal } = yield* fakeTerminal
      const keyboard = yield* Keyboard.make(terminal)
      yield* press(letters("before"))
      const answer = yield* Effect.scoped(
        Effect.gen(function* () {
          const keys = yield* keyboard.terminal.readInput
          yield* press([...letters("y"), enter])
          const taken = yield* Queue.takeAll(keys)
          yield* press(letters(" behind"))
          return names(taken)
        })
      )
      assert.deepStrictEqual(answer, ["y", "\r"])
      yield* press(letters("!"))
      assert.strictEqual(yield* keyboard.typedAhead, "before behind!")
      assert.strictEqual(yield* keyboard.typedAhead, "")
    })
  )

  it.effect("ends a question by Ctrl-C, and no turn by it; and a turn by the next, with what was typed kept", () =>
    Effect.gen(function* () {
      const { press, terminal } = yield* fakeTerminal
      const keyboard = yield* Keyboard.make(terminal)
      const turn = yield* Effect.forkChild(keyboard.quit)
      yield* Effect.yieldNow
      const left = yield* Effect.scoped(
        Effect.gen(function* () {
          const keys = yield* keyboard.terminal.readInput
          yield* press([interrupt])
          return yield* Effect.flip(Queue.take(keys))
        })
      )
      assert.strictEqual(left._tag, "Done")
      assert.isUndefined(turn.pollUnsafe())
      yield* press([...letters("kept"), interrupt])
      yield* Fiber.join(turn)
      assert.strictEqual(yield* keyboard.typedAhead, "kept")
    })
  )

  it.effect("ends a question by Ctrl-C at once, whatever was typed before it", () =>
    Effect.gen(function* () {
      const { press, terminal } = yield* fakeTerminal
      const keyboard = yield* Keyboard.make(terminal)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const keys = yield* keyboard.terminal.readInput
          yield* press(letters("a long "))
          yield* press([...letters("text"), interrupt])
          assert.strictEqual((yield* Effect.flip(Queue.take(keys)))._tag, "Done")
        })
      )
      yield* press(letters("more"))
      yield* keyboard.giveBack("a line")
      assert.strictEqual(yield* keyboard.typedAhead, "a line\na long textmore")
    })
  )

  it.effect("forgets a Ctrl-C that was pressed where nothing could be stopped", () =>
    Effect.gen(function* () {
      const { press, terminal } = yield* fakeTerminal
      const keyboard = yield* Keyboard.make(terminal)
      yield* press([interrupt])
      const turn = yield* Effect.forkChild(keyboard.quit)
      yield* press(letters("a"))
      assert.isUndefined(turn.pollUnsafe())
      yield* press([interrupt])
      yield* Fiber.join(turn)
    })
  )

  it.effect("ends the turn and all questions once the input is over", () =>
    Effect.gen(function* () {
      const { end, terminal } = yield* fakeTerminal
      const keyboard = yield* Keyboard.make(terminal)
      const open = yield* keyboard.terminal.readInput
      yield* end
      assert.strictEqual((yield* Effect.flip(Queue.take(open)))._tag, "Done")
      yield* keyboard.quit
      const later = yield* keyboard.terminal.readInput
      assert.strictEqual((yield* Effect.flip(Queue.take(later)))._tag, "Done")
    })
  )
})
