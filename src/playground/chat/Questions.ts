import { Effect } from "effect"

/** Questions to the user that fibers wait for, by the id of the call that they are about. */
export interface Questions<A> {
  /** Waits until the user has answered; `tell` shows the question. */
  readonly ask: (id: string, tell: () => void) => Effect.Effect<A>
  /** Gives the user's answer; nothing happens where nobody waits for it. */
  readonly answer: (id: string, value: A) => void
}

/** No questions yet. */
export const make = <A>(): Questions<A> => {
  const waiting = new Map<string, (value: A) => void>()
  return {
    ask: (id, tell) =>
      Effect.callback<A>((resume) => {
        waiting.set(id, (value) => resume(Effect.succeed(value)))
        tell()
        return Effect.sync(() => waiting.delete(id))
      }),
    answer: (id, value) => {
      waiting.get(id)?.(value)
      waiting.delete(id)
    }
  }
}
