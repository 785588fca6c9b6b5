import type { RequestListener } from "node:http"
import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Result, Stream } from "effect"
import { ChatModel, type ModelEvent } from "../../src/model/ChatModel.ts"
import * as OpenAiChat from "../../src/model/OpenAiChat.ts"
import { serve } from "../support/LoopbackServer.ts"
import { request } from "../support/models/speaks.ts"

const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ delta, finish_reason }] })}\n\n`

/** What a server's answer is heard as, by a reader that does something at each event. */
const hear = Effect.fnUntraced(function* (
  listener: RequestListener,
  options: Partial<OpenAiChat.OpenAiOptions> = {},
  atEach: Effect.Effect<void> = Effect.void
) {
  const port = yield* serve(listener)
  const events: Array<ModelEvent> = []
  const layer = OpenAiChat.layer({ baseUrl: `http://127.0.0.1:${port}`, ...options })
  const result = yield* Effect.flatMap(ChatModel, (chat) =>
    Effect.result(
      Stream.runForEach(chat.stream(request("m")), (event) => {
        events.push(event)
        return atEach
      })
    )
  ).pipe(Effect.provide(layer.pipe(Layer.provide(NodeHttpClient.layerNodeHttp))))
  return { events, error: Result.isFailure(result) ? result.failure : undefined }
})

const endless =
  (status: number, type: string): RequestListener =>
  (_, response) => {
    response.writeHead(status, { "content-type": type })
    const more = () => {
      while (!response.destroyed && response.write("x".repeat(1_000_000))) {}
      if (!response.destroyed) response.once("drain", more)
    }
    more()
  }

describe("ModelTransport", () => {
  it.live("takes a slow reader for no silent model", () =>
    Effect.gen(function* () {
      const { error, events } = yield* hear(
        (_, response) => {
          response.writeHead(200, { "content-type": "text/event-stream" })
          response.write(chunk({ content: "one" }), () =>
            response.end(`${chunk({ content: "two" })}${chunk({}, "stop")}data: [DONE]\n\n`)
          )
        },
        { idleTimeout: "100 millis" },
        Effect.sleep("300 millis")
      )
      assert.strictEqual(error, undefined)
      assert.strictEqual(events.length, 3)
    })
  )

  it.live("gives up on a server that sends comments alone", () =>
    Effect.gen(function* () {
      let timer: NodeJS.Timeout | undefined
      const { error } = yield* hear(
        (_, response) => {
          response.writeHead(200, { "content-type": "text/event-stream" })
          timer = setInterval(() => response.write(": working\n\n"), 10)
        },
        { idleTimeout: "50 millis" }
      )
      clearInterval(timer)
      assert.strictEqual(error?.reason, "timeout")
      assert.include(error?.message, "nothing but comments")
    })
  )

  it.live.each([
    { status: 500, type: "text/plain", reason: "overloaded" },
    { status: 200, type: "application/json", reason: "bad_response" },
    { status: 200, type: "text/event-stream", reason: "bad_response" }
  ])("reads no endless body of $status $type", ({ reason, status, type }) =>
    Effect.gen(function* () {
      const { error } = yield* hear(endless(status, type))
      assert.strictEqual(error?.reason, reason)
    })
  )

  it.live("tells no log the key, nor lets a server forge its lines", () =>
    Effect.gen(function* () {
      const { error } = yield* hear(
        (incoming, response) =>
          response.writeHead(401).end(`no: ${incoming.headers.authorization}\n[00:00:00.000] INFO all is well`),
        { apiKey: Redacted.make("sk-very-secret") }
      )
      assert.strictEqual(error?.reason, "unauthorized")
      assert.include(error?.message, "no: Bearer ***")
      assert.notMatch(error?.message ?? "", /sk-very-secret|\n/)
    })
  )

  it.live("fails for a key that no header carries, so that another model can be asked", () =>
    Effect.gen(function* () {
      const { error } = yield* hear((_, response) => response.end(), { apiKey: Redacted.make("sk-x\n") })
      assert.strictEqual(error?.reason, "invalid_request")
    })
  )
})
