import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Transcript from "../../src/history/Transcript.ts"
import type { ModelEvent } from "../../src/model/ChatModel.ts"
import type { TurnEvent } from "../../src/protocol/TurnEvent.ts"
import * as Step from "../../src/turn/Step.ts"
import { view } from "../../src/turn/StreamMode.ts"
import type { Toolbox } from "../../src/turn/Toolbox.ts"

const toolbox: Toolbox = {
  specs: [],
  answerers: new Map([
    ["mine", "client"],
    ["trusted", "running"],
    ["asks", "permission"]
  ])
}

const run = (events: ReadonlyArray<ModelEvent>, id = (index: number) => `call_${index}`) => {
  let step = Step.initial
  const told: Array<TurnEvent> = []
  for (const [index, event] of events.entries()) {
    const [next, more] = Step.apply(step, event, toolbox, id(index))
    step = next
    told.push(...more)
  }
  return { step, told }
}

const call = (name: string, args: string): ModelEvent => ({ type: "tool_call", name, arguments: args })
const finish = (reason: "stop" | "length" | "refusal" = "stop"): ModelEvent => ({ type: "finish", reason })
const text = (delta: string): ModelEvent => ({ type: "text_delta", delta })
const thinking = (delta: string): ModelEvent => ({ type: "thinking_delta", delta })

const Said = Schema.Array(
  Schema.Union([
    Schema.Struct({
      type: Schema.Literals(["text_delta", "thinking_delta"]),
      delta: Schema.Literals(["", " ", "a", "b c", "\n"])
    }),
    Schema.Struct({
      type: Schema.Literal("tool_call"),
      name: Schema.Literals(["mine", "trusted", "asks", "none such"]),
      arguments: Schema.Literals(["", "{}", '{"a":1}', "[]", "{", "null", "  "])
    }),
    Schema.Struct({ type: Schema.Literal("provider_data"), data: Schema.Json }),
    Schema.Struct({ type: Schema.Literal("finish"), reason: Schema.Literals(["stop", "length", "refusal"]) })
  ])
)

/** A step with its open block as it reads, however its pieces are held. */
const said = (step: Step.Step) => ({
  ...step,
  transcript: { ...step.transcript, open: [step.transcript.open?.type, Transcript.openBlock(step.transcript)] }
})

describe("Step", () => {
  it.prop(
    "takes many events as it takes them one after the other, however they are cut",
    [Schema.Array(Said)],
    ([cut]) => {
      let calls = 0
      const told: Array<TurnEvent> = []
      let step = Step.initial
      for (const chunk of cut) {
        const [next, more] = Step.applyAll(step, chunk, toolbox, () => `call_${calls++}`)
        step = next
        told.push(...more)
      }
      let index = 0
      const ids = cut.flat().map((event) => (event.type === "tool_call" ? index++ : -1))
      const single = run(cut.flat(), (at) => `call_${ids[at]}`)
      assert.deepStrictEqual(told, single.told)
      assert.deepStrictEqual(said(step), said(single.step))
    }
  )

  it.prop(
    "tells the same message in every view, and keeps it",
    [Said],
    ([said]) => {
      const { step, told } = run([...said, finish()])
      const entry = Step.toEntry(step, "test")
      const kept = entry === undefined ? [] : [entry.message]
      assert.deepStrictEqual(Transcript.fold(told), kept)
      assert.deepStrictEqual(Transcript.fold(view("delta", told)), kept)
      assert.deepStrictEqual(Transcript.fold(view("message", told)), kept)
      assert.strictEqual(told.filter((event) => event.event === "tool_call").length, step.calls.length)
    },
    { arbitrary: { runs: 3000 } }
  )

  it("tells a whole block once it has ended, merged with its neighbours", () => {
    const { told } = run([
      text("a"),
      { type: "provider_data", data: 1 },
      text("b"),
      thinking(" "),
      call("mine", ""),
      finish()
    ])
    assert.deepStrictEqual(
      told.map((event) => [event.event, event.data]),
      [
        ["text_delta", { delta: "a" }],
        ["text_delta", { delta: "b" }],
        ["text", { text: "ab" }],
        ["thinking_delta", { delta: " " }],
        ["tool_call", { toolCallId: "call_4", name: "mine", input: {} }]
      ]
    )
  })

  it.each([
    {
      name: "none such",
      args: "{}",
      rejected: "There is no tool named none such. The tools are: mine, trusted, asks."
    },
    { name: "mine", args: '{"cut', rejected: "The arguments are not a JSON object" },
    { name: "asks", args: "[1]", rejected: "The arguments are not a JSON object" },
    { name: "trusted", args: `{"a":${"[".repeat(99)}${"]".repeat(99)}}`, rejected: "The arguments nest deeper" }
  ])("announces but rejects a call of $name with $args", ({ args, name, rejected }) => {
    const [announced] = run([call(name, args), finish()]).step.calls
    assert.strictEqual(announced?.answerer, "running")
    assert.deepStrictEqual(announced?.call.input, {})
    assert.include(announced?.rejection ?? "", rejected)
  })

  it("runs no call that the answer's length cut off, whosever it is", () => {
    const hear = (...events: ReadonlyArray<ModelEvent>) => {
      let step = Step.initial
      for (const event of events) step = Step.apply(step, event, toolbox, "call_1")[0]
      return step.calls.map(({ rejection }) => rejection?.includes("cut off") ?? false)
    }
    assert.deepStrictEqual(hear(call("mine", ""), finish("length")), [true])
    assert.deepStrictEqual(hear(call("mine", '{"a":1}'), call("mine", ""), finish("length")), [false, true])
    assert.deepStrictEqual(hear(call("mine", '{"a":1}'), finish("length")), [false])
    assert.deepStrictEqual(hear(call("mine", ""), finish("stop")), [false])
  })

  it("keeps no provider data of a block that never came", () => {
    let step = Step.initial
    const data: ModelEvent = { type: "provider_data", data: "x" }
    for (const event of [text("a"), data, finish()]) step = Step.apply(step, event, toolbox, "")[0]
    assert.deepStrictEqual(Step.toEntry(step, "p"), { message: { role: "assistant", content: "a" } })
  })

  it("lets the calls decide how to go on, unless the model refused", () => {
    const reason = (...said: ReadonlyArray<ModelEvent>) => Step.stopReason(run(said).step)
    assert.strictEqual(reason(text("a"), finish("stop")), "end_turn")
    assert.strictEqual(reason(text("a"), finish("length")), "max_tokens")
    assert.strictEqual(reason(text("a"), finish("refusal")), "refusal")
    assert.strictEqual(reason(call("mine", ""), finish("length")), undefined)
    assert.strictEqual(reason(call("mine", ""), finish("refusal")), "refusal")
    assert.strictEqual(reason(finish("stop")), "end_turn")
    assert.strictEqual(reason(text("a")), "error")
  })

  it("keeps provider data with the block that it belongs to", () => {
    const { step } = run([
      thinking("hm"),
      { type: "provider_data", data: "signature" },
      text("so"),
      { type: "tool_call", name: "mine", arguments: "{}", data: "provider_1" },
      finish()
    ])
    assert.deepStrictEqual(Step.toEntry(step, "test")?.providerData, [
      { block: 0, provider: "test", data: "signature" },
      { block: 2, provider: "test", data: "provider_1" }
    ])
  })

  it("says nothing after its finish", () => {
    assert.deepStrictEqual(run([text("a"), finish(), text("b"), call("mine", ""), finish()]).told.length, 2)
  })
})
