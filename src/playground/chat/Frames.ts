import type { Action, TimedEvent } from "./Chat.ts"

/** Does something before the next picture is drawn; gives what calls it off. */
export type NextFrame = (task: () => void) => () => void

/** How long the page may go without being drawn, in milliseconds: a tab that is not seen never is. */
const longestWait = 200

/** The browser's next frame, or a timer where none comes. */
export const nextFrame: NextFrame = (task) => {
  const callOff = () => {
    cancelAnimationFrame(frame)
    clearTimeout(timer)
  }
  const run = () => {
    callOff()
    task()
  }
  const frame = requestAnimationFrame(run)
  const timer = setTimeout(run, longestWait)
  return callOff
}

/**
 * Tells actions on, what is heard at most once a frame.
 *
 * 1. Nothing is lost, and everything is told in its order: what was heard goes before the action behind it.
 * 2. What was heard waits for the next frame, and is one action then; any other action waits for nothing.
 */
export const batched = (tell: (action: Action) => void, nextFrame: NextFrame): ((action: Action) => void) => {
  const heard: Array<TimedEvent> = []
  let callOff: (() => void) | undefined
  const flush = () => {
    callOff?.()
    callOff = undefined
    if (heard.length > 0) tell({ type: "heard", events: heard.splice(0) })
  }
  return (action) => {
    if (action.type !== "heard") {
      flush()
      tell(action)
      return
    }
    for (const event of action.events) heard.push(event)
    callOff ??= nextFrame(flush)
  }
}
