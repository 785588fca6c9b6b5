import { Context, Effect, Ref, Semaphore, Stdio, Stream, Terminal } from "effect"
import { Prompt, TerminalCapabilities } from "effect/cli"
import type { FileSystem, Path, Scope } from "effect"
import type { CommandFailed } from "./CommandFailed.ts"
import * as Keyboard from "./Keyboard.ts"
import * as Output from "./Output.ts"
import { type Piece, paint } from "./ChatView.ts"

type PromptServices = FileSystem.FileSystem | Path.Path

/**
 * Where a chat is seen. In a script the answer goes to the standard output, all else to the standard error; on a terminal
 * they go one after the other. Nothing is written while a question is open.
 */
export class ChatScreen extends Context.Service<
  ChatScreen,
  {
    /** Whether somebody can be asked. */
    readonly canAsk: boolean
    readonly write: (pieces: ReadonlyArray<Piece>) => Effect.Effect<void, CommandFailed>
    /** A line beside the answer. The text is printable. */
    readonly note: (text: string) => Effect.Effect<void>
    /** Questions that belong together, with nothing between them. */
    readonly ask: <A>(
      questions: Effect.Effect<A, Terminal.QuitError, Terminal.Terminal | PromptServices>
    ) => Effect.Effect<A, Terminal.QuitError>
    /** Reads the keys from now on, so that Ctrl-C is no signal any more; later questions have theirs from there. */
    readonly listen: Effect.Effect<Keyboard.Keyboard, never, Scope.Scope>
  }
>()("effect-aap/ChatScreen") {}

/** Writes beside the answer, where nothing can be said of what fails. */
const write = (text: string, to: ReturnType<Stdio.Stdio["stdout"]>): Effect.Effect<void> =>
  text === "" ? Effect.void : Effect.ignore(Stream.run(Stream.succeed(text), to))

/** Whether a person reads and types here: in a script, whether one can be asked beside the answer. */
export const isTerminal = Effect.fnUntraced(function* (inScript: boolean) {
  const stdio = yield* Stdio.Stdio
  return (yield* stdio.stdinIsTerminal) && (yield* inScript ? stdio.stderrIsTerminal : stdio.stdoutIsTerminal)
})

/** The screen of a script, or of a terminal. */
export const make = Effect.fnUntraced(function* (inScript: boolean) {
  const stdio = yield* Stdio.Stdio
  const terminal = yield* Terminal.Terminal
  const services = yield* Effect.context<PromptServices>()
  const { canColor } = yield* TerminalCapabilities.TerminalCapabilities
  const lock = yield* Semaphore.make(1)
  const aside = inScript ? () => stdio.stderr() : () => stdio.stdout()
  const columns = Effect.map(terminal.columns, (columns) => columns || 80)
  const asked = yield* Ref.make(
    inScript ? Terminal.make({ ...terminal, columns, display: (text) => write(text, stdio.stderr()) }) : terminal
  )
  const canDim = inScript ? canColor && (yield* stdio.stderrIsTerminal) : canColor
  const writeAll = (pieces: ReadonlyArray<Piece>) =>
    Effect.forEach(
      pieces,
      (piece) => {
        const text = paint(piece, canDim)
        return piece.to === "answer"
          ? Effect.provideService(Output.write(text), Stdio.Stdio, stdio)
          : write(text, aside())
      },
      { discard: true }
    )
  return ChatScreen.of({
    canAsk: yield* isTerminal(inScript),
    write: (pieces) => lock.withPermit(writeAll(pieces)),
    note: (text) => lock.withPermit(write(`${text}\n`, aside())),
    ask: (questions) =>
      questions.pipe(
        Effect.provideServiceEffect(Terminal.Terminal, Ref.get(asked)),
        Effect.provide(services),
        Effect.tapErrorTag("QuitError", () => write("\n", aside())),
        lock.withPermit
      ),
    listen: Effect.tap(Keyboard.make(terminal), (keyboard) => Ref.set(asked, keyboard.terminal))
  })
})

/** Asks for a text that is not shown while it is typed, nor after. */
export const hidden = (message: string) => Prompt.Hidden({ message })
