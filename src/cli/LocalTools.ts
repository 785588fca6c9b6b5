import { Effect, Equal, Fiber, FileSystem, Path, Ref, Schema, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import type { Permit } from "../client/ClientSession.ts"
import * as ClientTool from "../client/ClientTool.ts"
import * as ToolOutcome from "../history/ToolOutcome.ts"
import type { ToolCall } from "../protocol/Tool.ts"
import { cut } from "../client/Printable.ts"

/** The largest file that is read, in bytes. */
const largestFile = 200_000

/** How long a command may run, in seconds, where the call says nothing, and at most. */
const usualTimeout = 60
const longestTimeout = 600

/** How much of a command's output is kept, and told, in characters. */
const keptOutput = 200_000
const toldOutput = 30_000

/** A local tool cannot do what it is called for; the model reads why. */
class LocalToolFailed extends Schema.TaggedError<LocalToolFailed>()("LocalToolFailed", { message: Schema.String }) {}

const refuse = (message: string) => Effect.fail(new LocalToolFailed({ message }))

const decodeText = (bytes: Uint8Array) =>
  Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes),
    catch: () => new LocalToolFailed({ message: "the file is no text in UTF-8" })
  })

/** Reads a text file of this machine. */
const readFile = ClientTool.make({
  name: "read_file",
  description: `Read a text file on the user's machine, of up to ${largestFile} bytes. The user is asked first.`,
  input: Schema.Struct({ path: Schema.NonEmptyString }),
  handler: Effect.fnUntraced(function* ({ path }: { readonly path: string }) {
    const files = yield* FileSystem.FileSystem
    const absolute = (yield* Path.Path).resolve(path)
    const { size, type } = yield* files.stat(absolute)
    if (type !== "File") return yield* refuse(`${absolute} is no file`)
    if (Number(size) > largestFile)
      return yield* refuse(`${absolute} has ${size} bytes; at most ${largestFile} are read`)
    const text = yield* Effect.flatMap(files.readFile(absolute), decodeText)
    return text.includes("\0") ? yield* refuse(`${absolute} is no text`) : text
  })
})

const Command = Schema.Struct({
  command: Schema.NonEmptyString,
  timeoutSeconds: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: longestTimeout })))
})

/** How long is waited for the rest of what a command has written, where something that it has started keeps its output. */
const restTimeout = "200 millis"

/** What a command has written: its beginning, and how long all of it is, in characters. */
interface Output {
  readonly text: string
  readonly length: number
}

/** Keeps what a command writes, where it can be read at any time. Characters that came in two pieces are whole. */
const collect = (
  { stderr, stdout }: Pick<ChildProcessSpawner.ChildProcessHandle, "stderr" | "stdout">,
  output: Ref.Ref<Output>
) =>
  Stream.runForEach(Stream.merge(Stream.decodeText(stdout), Stream.decodeText(stderr)), (piece) =>
    Ref.update(output, ({ length, text }) => ({
      text: length > keptOutput ? text : text + piece,
      length: length + piece.length
    }))
  )

const tell = ({ length, text }: Output): string =>
  `${cut(text, toldOutput)}${length > keptOutput ? `\n(${length} characters in all)` : ""}`

/** Runs a command in a shell, in the folder and with the environment of the chat, but for its key. */
const runCommand = ClientTool.make({
  name: "run_command",
  description: `Run a shell command on the user's machine and read its output. It is ended after ${usualTimeout} seconds, or timeoutSeconds up to ${longestTimeout}. The user is asked first.`,
  input: Command,
  handler: Effect.fnUntraced(function* ({ command, timeoutSeconds = usualTimeout }: typeof Command.Type) {
    const output = yield* Ref.make<Output>({ text: "", length: 0 })
    return yield* Effect.gen(function* () {
      const shell = ChildProcess.make("sh", ["-c", command], {
        env: { AAP_KEY: undefined },
        extendEnv: true,
        stdin: "ignore",
        forceKillAfter: "1 second"
      })
      const child = yield* (yield* ChildProcessSpawner.ChildProcessSpawner).spawn(shell)
      const collecting = yield* Effect.forkScoped(collect(child, output))
      const end = yield* Effect.match(child.exitCode, {
        onFailure: () => "ended by a signal",
        onSuccess: (code) => `exit code ${code}`
      })
      yield* Effect.timeoutOption(Fiber.await(collecting), restTimeout)
      return `${end}\n${tell(yield* Ref.get(output))}`
    }).pipe(
      Effect.scoped,
      Effect.timeoutOrElse({
        duration: `${timeoutSeconds} seconds`,
        orElse: () =>
          Effect.flatMap(Ref.get(output), (output) =>
            refuse(`the command was ended: it ran for longer than ${timeoutSeconds} s\n${tell(output)}`)
          )
      })
    )
  })
})

/** What the local tools work with. */
export type LocalServices = FileSystem.FileSystem | Path.Path | ChildProcessSpawner.ChildProcessSpawner

/**
 * A tool that runs once its call was granted. A run that was interrupted may have done anything: its call is not run again,
 * and the model is told so.
 */
const guarded = (permit: Permit, tool: ClientTool.ClientTool<LocalServices>): ClientTool.ClientTool<LocalServices> => {
  const interrupted: Array<ToolCall> = []
  return {
    spec: tool.spec,
    run: Effect.fnUntraced(function* (call) {
      if (interrupted.some((other) => Equal.equals(other, call))) return "It was interrupted: what it did is not known."
      const { granted, reason } = yield* permit(call)
      if (!granted) return ToolOutcome.denialText(reason)
      return yield* Effect.onInterrupt(tool.run(call), () => Effect.sync(() => interrupted.push(call)))
    })
  }
}

/** `read_file` and `run_command`, which run once `permit` has granted the call. */
export const make = (permit: Permit): ReadonlyArray<ClientTool.ClientTool<LocalServices>> => [
  guarded(permit, readFile),
  guarded(permit, runCommand)
]
