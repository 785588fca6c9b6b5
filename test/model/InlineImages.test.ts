import type { RequestListener } from "node:http"
import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { make as entry } from "../../src/history/HistoryEntry.ts"
import { ChatModel, type ModelRequest } from "../../src/model/ChatModel.ts"
import * as Gemini from "../../src/model/Gemini.ts"
import * as InlineImages from "../../src/model/InlineImages.ts"
import * as Scripted from "../../src/model/Scripted.ts"
import type { HistoryMessage } from "../../src/protocol/Message.ts"
import { serve } from "../support/LoopbackServer.ts"

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64"
)
const inlined = { type: "image", url: `data:image/png;base64,${png.toString("base64")}` }
const asking = (...urls: ReadonlyArray<string>): HistoryMessage => ({
  role: "user",
  content: [{ type: "text", text: "what is it?" }, ...urls.map((url) => ({ type: "image", url }) as const)]
})
const request = (...messages: ReadonlyArray<HistoryMessage>): ModelRequest => ({
  model: "m",
  system: "",
  history: messages.map(entry),
  tools: []
})

/** A server that counts, and a model behind it that remembers what it was asked. */
const setUp = Effect.fnUntraced(function* (listener: RequestListener, options: InlineImages.InlineImagesOptions = {}) {
  const asked: Array<string> = []
  const port = yield* serve((incoming, response) => {
    asked.push(incoming.url ?? "")
    listener(incoming, response)
  })
  const model = Scripted.make(() => Scripted.text("ok"))
  const context = yield* Layer.build(InlineImages.layer(model.layer, { allow: ["127.0.0.1"], ...options }))
  const ask = (...messages: ReadonlyArray<HistoryMessage>) =>
    Effect.flatMap(ChatModel, (chat) => Stream.runDrain(chat.stream(request(...messages)))).pipe(
      Effect.provide(context),
      Effect.map(() => model.requests.at(-1)?.history.map(({ message }) => message.content))
    )
  return { ask, asked, at: (path: string) => `http://127.0.0.1:${port}${path}` }
})

const image: RequestListener = (_, response) => response.writeHead(200, { "content-type": "text/html" }).end(png)
const text = { type: "text", text: "what is it?" }

describe("InlineImages", () => {
  it.effect("sends an image along, once fetched, whatever its server calls it", () =>
    Effect.gen(function* () {
      const { ask, asked, at } = yield* setUp(image)
      const answer: HistoryMessage = { role: "tool", toolCallId: "call_1", content: [{ type: "image", url: at("/b") }] }
      const contents = yield* ask(
        asking(at("/a"), at("/b"), inlined.url),
        { role: "assistant", content: "A dot." },
        answer
      )
      assert.deepStrictEqual<unknown>(contents, [[text, inlined, inlined, inlined], "A dot.", [inlined]])
      assert.deepStrictEqual([...asked].sort(), ["/a", "/b"])
      yield* ask(asking(at("/a")))
      assert.strictEqual(asked.length, 2)
      yield* TestClock.adjust("10 minutes")
      yield* ask(asking(at("/a")))
      assert.strictEqual(asked.length, 3)
    })
  )

  it.effect.each<{ name: string; listener: RequestListener; says: string; options?: InlineImages.InlineImagesOptions }>(
    [
      {
        name: "that is none",
        listener: (_, response) => response.end("<html>"),
        says: "it is no PNG, JPEG, GIF, WebP or HEIC image"
      },
      { name: "that is not there", listener: (_, response) => response.writeHead(404).end(png), says: "answered 404" },
      { name: "that is too large", listener: image, options: { maxBytes: 20 }, says: "it is larger than 20 bytes" },
      { name: "that does not come", listener: (_, response) => response.destroy(), says: "could not be reached" },
      {
        name: "that breaks off",
        listener: (_, response) => {
          response.writeHead(200, { "content-length": "1000" }).write(png.subarray(0, 30), () => response.destroy())
        },
        says: "the connection broke before it was whole"
      },
      { name: "that is not public", listener: image, options: { allow: [] }, says: "is not on the public internet" }
    ]
  )("says so of an image $name", ({ listener, options, says }) =>
    Effect.gen(function* () {
      const { ask, at } = yield* setUp(listener, options)
      const contents = yield* ask(asking(at("/a")))
      const [, note] = (contents?.[0] ?? []) as ReadonlyArray<{ readonly type: string; readonly text: string }>
      assert.strictEqual(note?.type, "text")
      assert.match(note?.text ?? "", /^\(The image at http:\S+\/a cannot be shown: .*\.\)$/)
      assert.include(note?.text, says)
    })
  )

  it.effect("shows the last sixteen of a history, as far as there is room", () =>
    Effect.gen(function* () {
      const { ask, asked, at } = yield* setUp(image, { maxTotalBytes: png.length * 3.5 })
      const [content] = (yield* ask(asking(...Array.from({ length: 20 }, (_, index) => at(`/${index}`))))) ?? []
      const shown = (content ?? []) as ReadonlyArray<{ readonly type: string; readonly text?: string }>
      assert.strictEqual(asked.length, 16)
      assert.deepStrictEqual(
        shown.map(({ type }) => type),
        [...Array.from({ length: 18 }, () => "text"), "image", "image", "image"]
      )
      assert.include(shown[1]?.text, "only the last 16 images are")
      assert.include(shown[10]?.text, "there is room for")
    })
  )

  it.effect("is how Gemini is shown what stands elsewhere", () =>
    Effect.gen(function* () {
      let body = ""
      const port = yield* serve((incoming, response) => {
        if (incoming.method === "GET") return image(incoming, response)
        incoming.setEncoding("utf8").on("data", (piece: string) => {
          body += piece
        })
        incoming.on("end", () => response.end('data: {"candidates":[{"finishReason":"STOP"}]}\n\n'))
      })
      const baseUrl = `http://127.0.0.1:${port}`
      const gemini = Gemini.layer({ baseUrl, images: { allow: ["127.0.0.1"] } })
      yield* Effect.flatMap(ChatModel, (chat) =>
        Stream.runDrain(chat.stream(request(asking(`${baseUrl}/a.png`))))
      ).pipe(Effect.provide(gemini.pipe(Layer.provide(NodeHttpClient.layerNodeHttp))))
      assert.include(body, `{"inlineData":{"mimeType":"image/png","data":"${png.toString("base64")}"}}`)
    })
  )
})
