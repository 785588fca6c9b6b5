import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Result, Schema } from "effect"
import type { Answerer, PendingCall } from "../../src/history/PendingCall.ts"
import type { Slot } from "../../src/history/Slot.ts"
import { ApplicationMessage } from "../../src/protocol/Message.ts"
import * as Submission from "../../src/turn/Submission.ts"

const pending = (toolCallId: string, answerer: Answerer, runnable = true): PendingCall => ({
  call: { toolCallId, name: "look", input: {} },
  answerer,
  runnable
})
const tool = (toolCallId: string, content = "seen"): ApplicationMessage => ({ role: "tool", toolCallId, content })
const grant = (toolCallId: string): ApplicationMessage => ({ role: "tool_permission", toolCallId, granted: true })
const deny = (toolCallId: string, reason?: string): ApplicationMessage => ({
  role: "tool_permission",
  toolCallId,
  granted: false,
  ...(reason === undefined ? {} : { reason })
})
const user = (content: string): ApplicationMessage => ({ role: "user", content })

const told = (slot: Slot) =>
  slot._tag === "Running"
    ? `run ${slot.call.call.toolCallId}`
    : `${slot.entry.message.role}: ${slot.entry.message.content}`

const append = (open: ReadonlyArray<PendingCall>, messages: ReadonlyArray<ApplicationMessage>) =>
  Result.map(Submission.check(open, messages), (submission) => submission.append.map(told))

const code = (open: ReadonlyArray<PendingCall>, messages: ReadonlyArray<ApplicationMessage>) => {
  const checked = Submission.check(open, messages)
  if (Result.isSuccess(checked)) return "accepted"
  return checked.failure._tag === "PendingToolCalls" ? checked.failure.ids : checked.failure.code
}

describe("Submission", () => {
  const open = [pending("c", "client"), pending("p", "permission"), pending("q", "permission")]

  it("puts answers in the order of their calls, and before what the user says", () => {
    assert.deepStrictEqual(
      append(open, [user("and now?"), deny("q", "too risky"), grant("p"), tool("c")]),
      Result.succeed(["tool: seen", "run p", "tool: Tool call denied: too risky", "user: and now?"])
    )
  })

  it("tells the client of the server's calls alone", () => {
    const checked = Result.getOrThrow(Submission.check(open, [tool("c"), grant("p"), deny("q")]))
    assert.deepStrictEqual(checked.server.map(told), ["run p", "tool: Tool call denied"])
  })

  it("never runs a call whose tool was not switched on", () => {
    assert.deepStrictEqual(
      append([pending("p", "permission", false)], [grant("p")]),
      Result.succeed(["tool: Tool call not run: the tool look is not switched on in this session."])
    )
  })

  it.each([
    { name: "a user message alone", messages: [user("hi")], refused: ["c", "p", "q"] },
    { name: "nothing", messages: [], refused: ["c", "p", "q"] },
    { name: "part of the answers", messages: [tool("c"), deny("q")], refused: ["p"] },
    { name: "an unknown id", messages: [tool("c"), grant("p"), deny("q"), tool("x")], refused: "unknown_tool_call" },
    { name: "an answer twice", messages: [tool("c"), tool("c"), grant("p"), deny("q")], refused: "repeated_answer" },
    { name: "a permission for a client call", messages: [grant("c"), grant("p"), deny("q")], refused: "wrong_answer" },
    { name: "a result for a server call", messages: [tool("c"), tool("p"), deny("q")], refused: "wrong_answer" },
    { name: "a blank user message", messages: [tool("c"), grant("p"), deny("q"), user(" \n")], refused: "empty_turn" }
  ])("refuses $name", ({ messages, refused }) => {
    assert.deepStrictEqual(code(open, messages), refused)
  })

  it("refuses a turn that says nothing, and answers to calls that are not open", () => {
    assert.strictEqual(code([], []), "empty_turn")
    assert.strictEqual(code([], [tool("c")]), "unknown_tool_call")
    assert.strictEqual(code([], [{ role: "user", content: [] }]), "empty_turn")
  })

  const ids = ["a", "b", "c", "d"]
  const Open = Schema.Array(
    Schema.Struct({ answerer: Schema.Literals(["client", "permission"]), runnable: Schema.Boolean })
  )
  const Said = Schema.Array(
    Schema.Struct({
      kind: Schema.Literals(["tool", "grant", "deny", "user"]),
      id: Schema.Literals(["a", "b", "c", "d", "x"])
    })
  )
  const toMessage = ({ id, kind }: (typeof Said.Type)[number]): ApplicationMessage =>
    kind === "user" ? user("hi") : kind === "tool" ? tool(id) : kind === "grant" ? grant(id) : deny(id)

  it.prop(
    "accepts exactly what answers every open call once and in kind",
    [Open, Said],
    ([shapes, said]) => {
      const open = shapes.slice(0, 4).map((shape, index) => pending(ids[index] ?? "", shape.answerer, shape.runnable))
      const messages = said.map(toMessage)
      const answers = said.filter(({ kind }) => kind !== "user")
      const fits =
        messages.length > 0 &&
        answers.length === open.length &&
        open.every(({ answerer, call }) => {
          const mine = answers.filter(({ id }) => id === call.toolCallId)
          return mine.length === 1 && (mine[0]?.kind === "tool") === (answerer === "client")
        })
      const checked = Submission.check(open, messages)
      assert.strictEqual(Result.isSuccess(checked), fits)
      if (Result.isFailure(checked)) return
      const run = checked.success.append.flatMap((slot) => (slot._tag === "Running" ? [slot.call.call.toolCallId] : []))
      const granted = open.filter(
        ({ call, runnable }) => runnable && answers.some(({ id, kind }) => id === call.toolCallId && kind === "grant")
      )
      assert.deepStrictEqual(
        run,
        granted.map(({ call }) => call.toolCallId)
      )
      assert.strictEqual(checked.success.append.length, messages.length)
    },
    { arbitrary: { runs: 3000 } }
  )

  it.prop(
    "no message that an application may send makes it throw",
    [Arbitrary.schema(Schema.Array(ApplicationMessage))],
    ([messages]) => {
      assert.isDefined(Submission.check([pending("a", "client")], messages))
    },
    { arbitrary: { runs: 500 } }
  )
})
