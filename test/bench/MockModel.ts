import { createServer, type ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import * as Stamp from "./Stamp.ts"
import { listening } from "./Control.ts"

/**
 * A model server that costs little itself: what it says depends on the model that it is asked for.
 *
 * - `burst:N`: N deltas as fast as they are read, 64 a packet.
 * - `padded:N`: the same, each chunk with a padding of its own, as OpenAI hides the lengths of texts.
 * - `paced:MILLIS`: a delta every so many milliseconds, until it is told to stop; streams are spread over that time.
 * - `late:MILLIS`: ten deltas, the first so much later.
 */
const head =
  '{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"mock","choices":[{"index":0,'
const before = `data: ${head}"delta":{"content":"`
const after = '"},"finish_reason":null}]}\n\n'
const padded = (index: number): string =>
  `${before}${Stamp.now()}"},"finish_reason":null}],"obfuscation":"${"x".repeat(index % 16)}"}\n\n`
const last = `data: ${head}"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`

const event = (): string => before + Stamp.now() + after
const frame = (events: string): string => `${events.length.toString(16)}\r\n${events}\r\n`
const events = (count: number, say: (index: number) => string = event): string =>
  Array.from({ length: count }, (_, index) => say(index)).join("")

/** Streams by the millisecond of their period in which they speak. */
const periods = new Map<number, { readonly slots: ReadonlyArray<Set<Spoken>>; next: number }>()
interface Spoken {
  readonly response: ServerResponse
  readonly socket: Socket
}

const end = ({ response, socket }: Spoken): void => {
  socket.write(frame(last))
  response.end()
}

const drained = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      socket.off("drain", done).off("close", done)
      resolve()
    }
    socket.on("drain", done).on("close", done)
  })

const burst = async (spoken: Spoken, count: number, say?: (index: number) => string): Promise<void> => {
  for (let sent = 0; sent < count && !spoken.socket.destroyed; sent += 64) {
    if (!spoken.socket.write(frame(events(Math.min(64, count - sent), say)))) await drained(spoken.socket)
  }
  end(spoken)
}

const pace = (spoken: Spoken, millis: number): void => {
  const period = periods.get(millis) ?? { slots: Array.from({ length: millis }, () => new Set<Spoken>()), next: 0 }
  periods.set(millis, period)
  const slot = period.slots[period.next++ % millis]
  slot?.add(spoken)
  spoken.response.on("close", () => slot?.delete(spoken))
}

const answer = async (spoken: Spoken, model: string): Promise<void> => {
  const [kind, amount = "1"] = model.split(":")
  if (kind === "late") await sleep(Number(amount))
  spoken.response.writeHead(200, { "content-type": "text/event-stream", "transfer-encoding": "chunked" })
  spoken.response.flushHeaders()
  if (kind === "burst") return burst(spoken, Number(amount))
  if (kind === "padded") return burst(spoken, Number(amount), padded)
  if (kind === "paced") return pace(spoken, Number(amount))
  spoken.socket.write(frame(events(10)))
  end(spoken)
}

let ticked = Math.floor(performance.now())
const tick = (): void => {
  const now = Math.floor(performance.now())
  for (; ticked < now; ticked++) {
    for (const [millis, { slots }] of periods) {
      for (const { socket } of slots[ticked % millis] ?? []) socket.write(frame(event()))
    }
  }
}
setInterval(tick, 1)

const server = createServer((request, response) => {
  const { socket } = request
  const spoken = { response, socket }
  let model: string | undefined
  request.on("data", (piece: Buffer) => {
    model ??= /"model":"([^"]*)"/.exec(piece.toString("latin1"))?.[1]
  })
  request.on("end", () => void answer(spoken, model ?? "late:0"))
})
server.keepAliveTimeout = 60_000

listening(server, async () => {
  for (const { slots } of periods.values()) {
    for (const spoken of slots.flatMap((slot) => [...slot])) end(spoken)
    for (const slot of slots) slot.clear()
  }
})
