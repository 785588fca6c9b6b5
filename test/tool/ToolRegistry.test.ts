import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { currentTime } from "../../src/tool/CurrentTime.ts"
import * as ServerTool from "../../src/tool/ServerTool.ts"
import { maxLength } from "../../src/history/ToolOutcome.ts"
import { ToolRegistry } from "../../src/tool/ToolRegistry.ts"

class Greeting extends Context.Service<Greeting, { readonly text: string }>()("test/Greeting") {}

class DoorClosed extends Schema.TaggedError<DoorClosed>()("DoorClosed", { message: Schema.String }) {}

const context = { toolCallId: "call_1", sessionId: "sess_1", principal: "ada" }
const call = (name: string, input: Schema.JsonObject = {}) => ({ toolCallId: "call_1", name, input })

const Circle = Schema.Struct({
  radius: Schema.Finite.check(Schema.isGreaterThan(0)),
  color: Schema.optionalKey(Schema.String)
})
const outcome = (name: string, handler: () => Effect.Effect<unknown, unknown>) =>
  ServerTool.make({ name, description: name, input: Schema.Struct({}), handler })

const cyclic: { self?: unknown } = {}
cyclic.self = cyclic

const layer = ToolRegistry.layer(
  ServerTool.make({
    name: "greet",
    title: "Greet",
    description: "Greets somebody.",
    input: Schema.Struct({ name: Schema.String, times: Schema.FiniteFromString }),
    handler: ({ name, times }, { sessionId }) =>
      Effect.map(Greeting, ({ text }) => `${text} ${name} `.repeat(times) + sessionId)
  }),
  ServerTool.make({
    name: "circle",
    description: "",
    input: Circle,
    handler: ({ radius }) => Effect.succeed(radius * 2)
  }),
  outcome("object", () => Effect.succeed({ a: [1, null] })),
  outcome("nothing", () => Effect.void),
  outcome("blank", () => Effect.succeed(" \n")),
  outcome("cyclic", () => Effect.succeed(cyclic)),
  outcome("bigint", () => Effect.succeed(10n)),
  outcome("huge", () => Effect.succeed("x".repeat(maxLength + 1))),
  outcome("fails", () => Effect.fail(new DoorClosed({ message: "the door is closed" }))),
  outcome("fails_with_text", () => Effect.fail("closed")),
  outcome("dies", () => Effect.die(new Error("a secret of the server"))),
  outcome("throws", () => {
    throw new Error("a secret of the server")
  }),
  outcome("stops_itself", () => Effect.interrupt),
  outcome("hangs", () => Effect.never),
  { ...outcome("hidden", () => Effect.succeed("seen")), hidden: true },
  currentTime
).pipe(Layer.provide(Layer.succeed(Greeting, { text: "hello" })))

const run = (name: string, input?: Schema.JsonObject) =>
  Effect.flatMap(ToolRegistry, (registry) => registry.run(call(name, input), context))

describe("ToolRegistry", () => {
  it.effect.each([
    { name: "greet", input: { name: "Ada", times: "2" }, reads: "hello Ada hello Ada sess_1" },
    { name: "circle", input: { radius: 2 }, reads: "4" },
    {
      name: "circle",
      input: { radius: -1 },
      reads: "The input of circle does not fit. radius: Expected a value greater than 0"
    },
    { name: "circle", input: {}, reads: "The input of circle does not fit. radius: Missing key" },
    { name: "object", input: {}, reads: '{"a":[1,null]}' },
    { name: "nothing", input: {}, reads: "(no output)" },
    { name: "blank", input: {}, reads: "(no output)" },
    { name: "cyclic", input: {}, reads: "(the tool's output cannot be written as JSON)" },
    { name: "bigint", input: {}, reads: "(the tool's output cannot be written as JSON)" },
    { name: "fails", input: {}, reads: "the door is closed" },
    { name: "fails_with_text", input: {}, reads: "closed" },
    { name: "dies", input: {}, reads: "The tool dies failed unexpectedly." },
    { name: "throws", input: {}, reads: "The tool throws failed unexpectedly." },
    { name: "stops_itself", input: {}, reads: "The tool stops_itself failed unexpectedly." },
    { name: "none such", input: {}, reads: "There is no tool named none such." }
  ])("$name reads as it should", ({ input, name, reads }) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* run(name, input), reads)
    }).pipe(Effect.provide(layer))
  )

  it.effect("bounds what it gives", () =>
    Effect.gen(function* () {
      assert.isBelow((yield* run("huge")).length, maxLength + 100)
    }).pipe(Effect.provide(layer))
  )

  it.effect("stops what takes too long", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(run("hangs"))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* Fiber.join(fiber), "The tool hangs took longer than 1m and was stopped.")
    }).pipe(Effect.provide(layer))
  )

  it.effect("interrupts the handler with the call", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const stopped = yield* Deferred.make<void>()
      const handler = () =>
        Deferred.succeed(begun, undefined).pipe(
          Effect.andThen(Effect.never),
          Effect.onInterrupt(() => Deferred.succeed(stopped, undefined))
        )
      const tool = ServerTool.make({ name: "waits", description: "", input: Schema.Struct({}), handler })
      const fiber = yield* Effect.forkChild(run("waits").pipe(Effect.provide(ToolRegistry.layer(tool))))
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(fiber)
      yield* Deferred.await(stopped)
    })
  )

  it.effect("says what is wrong with an input, and runs nothing", () =>
    Effect.gen(function* () {
      const registry = yield* ToolRegistry
      assert.strictEqual(yield* registry.check(call("circle", { radius: 1 })), undefined)
      assert.strictEqual(yield* registry.check(call("dies")), undefined)
      assert.include((yield* registry.check(call("circle"))) ?? "", "radius")
    }).pipe(Effect.provide(layer))
  )

  it.effect("tells of its tools by one self-contained JSON Schema", () =>
    Effect.gen(function* () {
      const { tools } = yield* ToolRegistry
      const spec = tools.get("circle")?.spec
      assert.strictEqual(spec?.parameters.type, "object")
      assert.deepStrictEqual(spec?.parameters.required, ["radius"])
      assert.deepStrictEqual(tools.get("object")?.spec.parameters.properties, {})
      assert.isTrue(tools.get("hidden")?.hidden)
    }).pipe(Effect.provide(layer))
  )

  it("puts what a Schema refers to inside the JSON Schema", () => {
    const Point = Schema.Struct({ x: Schema.Finite }).annotate({ identifier: "Point" })
    const Line = Schema.Struct({ from: Point, to: Point }).annotate({ identifier: "Line" })
    const { parameters } = ServerTool.make({
      name: "line",
      description: "",
      input: Line,
      handler: () => Effect.void
    }).spec
    assert.strictEqual(parameters.type, "object")
    assert.isDefined((parameters.$defs as Record<string, unknown>).Point)
    assert.notProperty(parameters, "$ref")
  })

  it.effect.prop(
    "any input is answered",
    [Schema.JsonObject],
    ([input]) =>
      Effect.gen(function* () {
        assert.isAbove((yield* run("circle", input)).length, 0)
        assert.isAbove((yield* run("greet", { ...input, name: "x" })).length, 0)
      }).pipe(Effect.provide(layer)),
    { arbitrary: { runs: 200 } }
  )

  it.effect("refuses two tools of one name", () =>
    Effect.gen(function* () {
      const tool = outcome("twin", () => Effect.void)
      const built = yield* Effect.exit(Effect.provide(Effect.void, ToolRegistry.layer(tool, { ...tool })))
      assert.strictEqual(built._tag, "Failure")
    })
  )

  it.each(["", "a b", "tab\there", "x".repeat(129)])("refuses the name %j", (name) => {
    assert.throws(() => outcome(name, () => Effect.void))
  })
})

describe("current_time", () => {
  it.effect("tells the time where it is asked for", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 6, 1, 12, 0, 0))
      assert.include(yield* run("current_time"), "2026-07-01T12:00:00.000+00:00[UTC]")
      assert.include(
        yield* run("current_time", { timeZone: "Asia/Tokyo" }),
        "2026-07-01T21:00:00.000+09:00[Asia/Tokyo]"
      )
      assert.include(
        yield* run("current_time", { timeZone: "Mars/Base" }),
        "There is no time zone Mars/Base; give an IANA name"
      )
    }).pipe(Effect.provide(layer))
  )
})
