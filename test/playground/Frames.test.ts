import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { Action } from "../../src/playground/chat/Chat.ts"
import * as Chat from "../../src/playground/chat/Chat.ts"
import * as Frames from "../../src/playground/chat/Frames.ts"

const hear = (delta: string, at: number): Action => ({
  type: "heard",
  events: [{ at, event: { event: "text_delta", data: { delta } } }]
})

/** Frames that are drawn by hand. */
const drawn = () => {
  const tasks = new Set<() => void>()
  const nextFrame: Frames.NextFrame = (task) => {
    tasks.add(task)
    return () => void tasks.delete(task)
  }
  const draw = () => {
    const now = [...tasks]
    tasks.clear()
    for (const task of now) task()
  }
  return { tasks, nextFrame, draw }
}

const Step = Schema.Literals(["a", "b ", "draw", "said", "ended"])

const toAction = (step: typeof Step.Type, at: number): Action => {
  switch (step) {
    case "said":
      return { type: "said", text: "go" }
    case "ended":
      return { type: "ended" }
    default:
      return hear(step, at)
  }
}

describe("what a page is told, by frames", () => {
  it.prop(
    "is what it would be told at once, in its order",
    [Schema.Array(Step)],
    ([steps]) => {
      const { draw, nextFrame } = drawn()
      let chat = Chat.empty
      const tell = Frames.batched((action) => {
        chat = Chat.reduce(chat, action)
      }, nextFrame)
      let atOnce = Chat.empty
      for (const [at, step] of steps.entries()) {
        if (step === "draw") {
          draw()
          assert.deepStrictEqual(chat, atOnce)
        } else {
          const action = toAction(step, at)
          tell(action)
          atOnce = Chat.reduce(atOnce, action)
        }
      }
      draw()
      assert.deepStrictEqual(chat, atOnce)
    },
    { arbitrary: { runs: 500, size: 30, seed: "frames" } }
  )

  it("is one update a frame, however much was heard", () => {
    const { draw, nextFrame } = drawn()
    const told: Array<Action> = []
    const tell = Frames.batched((action) => void told.push(action), nextFrame)
    for (let frame = 0; frame < 3; frame++) {
      for (let at = 0; at < 1000; at++) tell(hear("x", at))
      assert.strictEqual(told.length, frame)
      draw()
    }
    assert.deepStrictEqual(
      told.map((action) => (action.type === "heard" ? action.events.length : action.type)),
      [1000, 1000, 1000]
    )
  })

  it("leaves no frame behind that has nothing to tell", () => {
    const { nextFrame, tasks } = drawn()
    const tell = Frames.batched(() => {}, nextFrame)
    tell(hear("x", 0))
    tell({ type: "ended" })
    assert.strictEqual(tasks.size, 0)
  })
})
