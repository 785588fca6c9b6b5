import { type Cause, Effect, Option, Queue, Ref, Terminal } from "effect"
import * as TypeAhead from "./TypeAhead.ts"

type Keys = Queue.Queue<Terminal.UserInput, Cause.Done>

/** All keys of a terminal, read in one place: each goes to the question that is open, or is kept where none is. */
export interface Keyboard {
  /** The terminal as questions have it. One is open at a time. */
  readonly terminal: Terminal.Terminal
  /** Waits for a key that quits, pressed from now on and outside of questions, or for the end of the input. */
  readonly quit: Effect.Effect<void>
  /** What was typed outside of questions, and behind the end of one; it is given once. */
  readonly typedAhead: Effect.Effect<string>
  /** Gives a line back that came to nothing: it stands before what was typed ahead. */
  readonly giveBack: (line: string) => Effect.Effect<void>
}

/** Reads the keys of a terminal, whose input ends with a key that quits, until the scope closes. */
export const make = Effect.fnUntraced(function* (terminal: Terminal.Terminal) {
  const ahead = yield* Ref.make("")
  const question = yield* Ref.make(Option.none<Keys>())
  const quits = yield* Queue.dropping<void, Cause.Done>(1)
  const isOver = yield* Ref.make(false)
  const paste = yield* Ref.make<TypeAhead.Paste>(Option.none())
  const keep = (keys: ReadonlyArray<Terminal.UserInput>) =>
    Ref.update(ahead, (text) => keys.reduce(TypeAhead.typed, text))

  const route = Effect.fnUntraced(function* (came: ReadonlyArray<Terminal.UserInput>) {
    const keys = yield* Ref.modify(paste, (paste) => TypeAhead.unmarked(paste, came))
    const open = yield* Ref.get(question)
    const isQuitting = keys.some(TypeAhead.isQuit)
    const others = TypeAhead.together(keys.filter((key) => !TypeAhead.isQuit(key)))
    if (Option.isNone(open)) {
      yield* keep(others)
      if (isQuitting) yield* Queue.offer(quits, undefined)
    } else {
      if (isQuitting) {
        // It does not wait behind what was typed before it.
        yield* Effect.flatMap(Queue.clear(open.value), (waiting) => keep([...waiting, ...others]))
        yield* Queue.end(open.value)
      } else yield* Queue.offerAll(open.value, others)
    }
    return isQuitting
  })

  /** The input ends with each key that quits, and is read anew; where it ends without one, it is over. */
  const read = Effect.scoped(
    Effect.gen(function* () {
      const keys = yield* terminal.readInput
      while (!(yield* Effect.flatMap(Queue.takeAll(keys), route))) {}
    })
  )
  const reading = Effect.gen(function* () {
    yield* Effect.ignore(Effect.forever(read))
    yield* Ref.set(isOver, true)
    yield* Queue.end(quits)
    const open = yield* Ref.get(question)
    if (Option.isSome(open)) yield* Queue.end(open.value)
  })
  const display = (text: string) => Effect.ignore(terminal.display(text))
  yield* Effect.acquireRelease(display(TypeAhead.marked.on), () => display(TypeAhead.marked.off))
  yield* Effect.forkScoped(reading)

  const readInput = Effect.acquireRelease(
    Effect.gen(function* () {
      const keys = yield* Queue.unbounded<Terminal.UserInput, Cause.Done>()
      yield* Ref.set(question, Option.some(keys))
      if (yield* Ref.get(isOver)) yield* Queue.end(keys)
      return keys
    }),
    (keys) =>
      Effect.gen(function* () {
        yield* Ref.set(question, Option.none())
        yield* Effect.flatMap(Queue.clear(keys), keep)
      })
  )
  const keyboard: Keyboard = {
    terminal: Terminal.make({ ...terminal, readInput }),
    quit: Effect.andThen(Queue.clear(quits), Effect.ignore(Queue.take(quits))),
    typedAhead: Ref.getAndSet(ahead, ""),
    giveBack: (line) => Ref.update(ahead, (text) => (text === "" ? line : `${line}\n${text}`))
  }
  return keyboard
})
