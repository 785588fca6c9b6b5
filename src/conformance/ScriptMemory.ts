import { Context, Deferred, Effect, Layer, Ref, Schema } from "effect"
import { Given } from "./ChatCompletions.ts"

/** One time that the model was asked: at which step of its script, with which messages, and of which tools it was told. */
export const Asked = Schema.Struct({
  step: Schema.Int,
  messages: Schema.Array(Given),
  tools: Schema.Array(Schema.String),
  /** Whether whoever asked went away before the answer was whole. */
  isLeft: Schema.Boolean
})
export type Asked = typeof Asked.Type

/** How many scripts are remembered: the latest ones. */
export const maxTags = 1000

interface Memory {
  readonly asked: ReadonlyArray<Asked>
  readonly released: Deferred.Deferred<void>
}

/** What the scripted model was asked, by the tags of its scripts, and which scripts may go on. */
export class ScriptMemory extends Context.Service<
  ScriptMemory,
  {
    /** Keeps what was asked; the effect that it gives says that whoever asked has left. */
    readonly ask: (tag: string, asked: Omit<Asked, "isLeft">) => Effect.Effect<Effect.Effect<void>>
    readonly asked: (tag: string) => Effect.Effect<ReadonlyArray<Asked>>
    /** Waits until the script is released; what was released once stays so. */
    readonly released: (tag: string) => Effect.Effect<void>
    readonly release: (tag: string) => Effect.Effect<void>
  }
>()("effect-aap/ScriptMemory") {
  static readonly layer = Layer.effect(
    ScriptMemory,
    Effect.gen(function* () {
      const memories = yield* Ref.make<ReadonlyMap<string, Memory>>(new Map())
      /** The memory of a script before it was changed. */
      const change = (tag: string, change: (asked: ReadonlyArray<Asked>) => ReadonlyArray<Asked> = (asked) => asked) =>
        Ref.modify(memories, (memories) => {
          const memory = memories.get(tag) ?? { asked: [], released: Deferred.makeUnsafe<void>() }
          const others = [...memories].filter(([other]) => other !== tag)
          return [
            memory,
            new Map([...others, [tag, { ...memory, asked: change(memory.asked) }] as const].slice(-maxTags))
          ]
        })
      const leave = (tag: string, index: number) =>
        Effect.asVoid(change(tag, (all) => all.map((asked, at) => (at === index ? { ...asked, isLeft: true } : asked))))
      return {
        ask: (tag, asked) =>
          Effect.map(
            change(tag, (before) => [...before, { ...asked, isLeft: false }]),
            (memory) => leave(tag, memory.asked.length)
          ),
        asked: (tag) => Effect.map(change(tag), ({ asked }) => asked),
        released: (tag) => Effect.flatMap(change(tag), ({ released }) => Deferred.await(released)),
        release: (tag) => Effect.flatMap(change(tag), ({ released }) => Deferred.succeed(released, undefined))
      }
    })
  )
}
