import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Schema } from "effect"
import { Asked } from "../../src/conformance/ScriptMemory.ts"
import * as Script from "../../src/conformance/Script.ts"
import { ScriptedModelServer } from "../../src/conformance/ScriptedModelServer.ts"

const layer = Layer.orDie(ScriptedModelServer.layer({ port: 0 }))

const user = (script: Script.Script) => ({ role: "user", content: `Please. ${Script.write(script)} Thanks.` })

interface Chunk {
  readonly choices: ReadonlyArray<{ readonly delta: object; readonly finish_reason: string | null }>
}

/** Asks the model, and gives the status and the whole body. */
const ask = Effect.fnUntraced(function* (body: object, signal?: AbortSignal) {
  const { url } = yield* ScriptedModelServer
  return yield* Effect.promise(async () => {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      ...(signal === undefined ? {} : { signal })
    })
    return { status: response.status, text: await response.text() }
  })
})

const get = (path: string, method = "GET") =>
  Effect.flatMap(ScriptedModelServer, ({ url }) =>
    Effect.promise(async () => {
      const response = await fetch(`${url}${path}`, { method })
      return response.status === 204 ? undefined : ((await response.json()) as unknown)
    })
  )

const decodeAsked = Schema.decodeUnknownSync(Schema.Array(Asked))

/** What the model was asked under a tag. */
const askedUnder = (tag: string) => Effect.map(get(`/script/${tag}`), (asked) => decodeAsked(asked))

const chunks = (text: string) =>
  text.split("\n\n").flatMap((event) => (event.startsWith("data: {") ? [JSON.parse(event.slice(6)) as Chunk] : []))

const look = { call: { name: "look", input: { at: "sky" } } } as const

describe("a script", () => {
  it.prop(
    "is found as it was written, whatever stands around it",
    [Script.Script, Schema.String, Schema.String],
    ([script, before, behind]) => {
      assert.deepStrictEqual(Script.find(`${before}${Script.write(script)}${behind}`), Option.some(script))
    }
  )

  it("is none where there is none", () => {
    for (const text of ["", "<aap-script>", "</aap-script><aap-script>", "<aap-script>{}</aap-script>"]) {
      assert.isTrue(Option.isNone(Script.find(text)))
    }
  })
})

describe("the scripted model", () => {
  it.effect("streams the step that its messages have come to", () =>
    Effect.gen(function* () {
      const said = user({ tag: "t", steps: [[{ thinking: ["hm"] }, look, look], [{ text: ["a", "b"] }]] })
      const first = chunks((yield* ask({ model: "any", stream: true, messages: [said] })).text)
      const call = (index: number) => ({
        tool_calls: [
          { index, id: `t_0_${index}`, type: "function", function: { name: "look", arguments: '{"at":"sky"}' } }
        ]
      })
      assert.deepStrictEqual(
        first.map(({ choices: [choice] }) => [choice?.delta, choice?.finish_reason]),
        [
          [{ role: "assistant" }, null],
          [{ reasoning_content: "hm" }, null],
          [call(0), null],
          [call(1), null],
          [{}, "tool_calls"]
        ]
      )
      const messages = [said, { role: "assistant", content: null, tool_calls: [] }, { role: "tool", content: "blue" }]
      const second = yield* ask({ stream: true, messages })
      assert.deepStrictEqual(
        chunks(second.text).map(({ choices: [choice] }) => [choice?.delta, choice?.finish_reason]),
        [
          [{ role: "assistant" }, null],
          [{ content: "a" }, null],
          [{ content: "b" }, null],
          [{}, "stop"]
        ]
      )
      assert.isTrue(second.text.endsWith("data: [DONE]\n\n"))
      const asked = yield* askedUnder("t")
      assert.deepStrictEqual(
        asked.map(({ messages, step }) => [step, messages.length]),
        [
          [0, 1],
          [1, 3]
        ]
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect("answers whole where it is not asked to stream", () =>
    Effect.gen(function* () {
      const said = user({ tag: "t", steps: [[{ text: ["a", "b"] }, look, { finish: "length" }]] })
      const { text } = yield* ask({ messages: [said] })
      const [choice] = (JSON.parse(text) as { readonly choices: ReadonlyArray<object> }).choices
      assert.deepStrictEqual<unknown>(choice, {
        index: 0,
        message: {
          role: "assistant",
          content: "ab",
          tool_calls: [{ id: "t_0_0", type: "function", function: { name: "look", arguments: '{"at":"sky"}' } }]
        },
        finish_reason: "length"
      })
    }).pipe(Effect.provide(layer))
  )

  it.effect("fails as it is told: before its answer with a status, in the middle without a finish", () =>
    Effect.gen(function* () {
      const failing = user({ tag: "t", steps: [[{ fail: 429 }]] })
      assert.strictEqual((yield* ask({ stream: true, messages: [failing] })).status, 429)
      const midway = user({ tag: "t", steps: [[{ text: ["a"] }, { fail: 500 }, { text: ["b"] }]] })
      const { status, text } = yield* ask({ stream: true, messages: [midway] })
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(
        chunks(text).map(({ choices: [choice] }) => choice?.delta),
        [{ role: "assistant" }, { content: "a" }]
      )
      assert.notInclude(text, "[DONE]")
      assert.strictEqual((yield* ask({ messages: [midway] })).status, 500)
    }).pipe(Effect.provide(layer))
  )

  it.live("waits until it is released, and knows who has left", () =>
    Effect.gen(function* () {
      const { url } = yield* ScriptedModelServer
      const body = (tag: string) => ({
        stream: true,
        messages: [user({ tag, steps: [[{ text: ["a"] }, { hold: true }, { text: ["b"] }]] })]
      })
      yield* Effect.promise(async () => {
        const aborter = new AbortController()
        const response = await fetch(`${url}/v1/chat/completions`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body("left")),
          signal: aborter.signal
        })
        await response.body?.getReader().read()
        aborter.abort()
      })
      const isLeft = Effect.map(askedUnder("left"), ([asked]) => asked?.isLeft === true)
      assert.isTrue(yield* Effect.repeat(isLeft, { until: (isLeft) => isLeft, times: 10_000 }))
      yield* get("/script/waits/release", "POST")
      const { text } = yield* ask(body("waits"))
      assert.include(text, '"content":"b"')
      const [asked] = yield* askedUnder("waits")
      assert.isFalse(asked?.isLeft)
    }).pipe(Effect.provide(layer))
  )

  it.effect("refuses what no script is in, and what is no chat completion", () =>
    Effect.gen(function* () {
      const unscripted = yield* ask({ messages: [{ role: "user", content: "hello" }] })
      assert.strictEqual(unscripted.status, 400)
      assert.include(unscripted.text, "no user message has a script")
      assert.strictEqual((yield* ask({ prompt: "hello" })).status, 400)
    }).pipe(Effect.provide(layer))
  )
})
