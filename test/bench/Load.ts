import { Agent, type IncomingMessage, request } from "node:http"
import { answering } from "./Control.ts"
import type { LoadAsk, Opened, Tally } from "./LoadAsk.ts"
import * as Stamp from "./Stamp.ts"

/** The load generator: holds streams open, counts their deltas and how old each is when it arrives. */
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })

let deltas = 0
let ages: Array<number> = []
let starts: Array<number> = []
let firsts: Array<number> = []
let wholes: Array<number> = []
let open: ReadonlyArray<Promise<void>> = []

const mark = '{"delta":"'

/** Counts what a text has of deltas. */
const count = (text: string): number => {
  let found = 0
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + mark.length)) {
    found++
    ages.push(Stamp.age(text, at + mark.length))
  }
  return found
}

const send = (port: number, path: string, body: string | undefined): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) }
    const headers = { "content-type": "application/json", ...length }
    const method = body === undefined ? "GET" : "POST"
    request({ agent, port, method, path, headers }, resolve).on("error", reject).end(body)
  })

const read = async (port: number, path: string, body?: string): Promise<string> => {
  const response = await send(port, path, body)
  let text = ""
  for await (const piece of response.setEncoding("utf8")) text += piece
  if (response.statusCode !== 200 && response.statusCode !== 201) throw new Error(`${response.statusCode}: ${text}`)
  return text
}

/** Reads a stream; `began` is called at its first delta. Done at its end. */
const stream = async (ask: Opened, path: string, began: () => void): Promise<void> => {
  const from = performance.now()
  const response = await send(ask.port, path, ask.body)
  let rest = ""
  let own = 0
  let isStarted = false
  for await (const piece of response.setEncoding("latin1")) {
    const text = rest + piece
    const end = text.lastIndexOf("\n\n") + 2
    const whole = text.slice(0, end)
    rest = text.slice(end)
    if (!isStarted && whole.includes("turn_start")) {
      isStarted = true
      starts.push(performance.now() - from)
    }
    const found = count(whole)
    if (own === 0 && found > 0) {
      firsts.push(performance.now() - from)
      began()
    }
    own += found
    deltas += found
  }
  wholes.push(performance.now() - from)
  began()
}

const whole = async (ask: Opened, path: string, began: () => void): Promise<void> => {
  const from = performance.now()
  await read(ask.port, path, ask.body)
  wholes.push(performance.now() - from)
  began()
}

/** Opens streams, so many at a time on their way to the first delta. */
const openAll = async (ask: Opened): Promise<void> => {
  const opened: Array<Promise<void>> = []
  const waiting = [...ask.paths]
  const take = ask.mode === "stream" ? stream : whole
  const next = async (): Promise<void> => {
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      const { promise, resolve } = Promise.withResolvers<void>()
      opened.push(take(ask, path, resolve))
      await promise
    }
  }
  await Promise.all(Array.from({ length: ask.concurrency }, next))
  open = opened
}

const tally = (): Tally => {
  const counted = { deltas, ages, starts, firsts, wholes }
  deltas = 0
  ages = []
  starts = []
  firsts = []
  wholes = []
  return counted
}

const createAll = async ({ bodies, port }: Extract<LoadAsk, { readonly kind: "create" }>) => {
  const ids: Array<string> = []
  for (const body of bodies)
    ids.push((JSON.parse(await read(port, "/sessions", body)) as { sessionId: string }).sessionId)
  return ids
}

/** Reads pages one after the other, and tells how long each took. */
const walk = async ({ pages, port }: Extract<LoadAsk, { readonly kind: "walk" }>): Promise<ReadonlyArray<number>> => {
  const times: Array<number> = []
  let after = ""
  while (times.length < pages) {
    const from = performance.now()
    const page = JSON.parse(await read(port, `/sessions${after}`)) as { readonly next?: string }
    times.push(performance.now() - from)
    if (page.next === undefined) break
    after = `?after=${encodeURIComponent(page.next)}`
  }
  return times
}

answering(0, async (given) => {
  const ask = given as LoadAsk
  switch (ask.kind) {
    case "create":
      return createAll(ask)
    case "open":
      return openAll(ask)
    case "tally":
      return tally()
    case "finish":
      await Promise.all(open)
      // Left idle, a connection may be closed by the server just as it is used again.
      return agent.destroy()
    case "walk":
      return walk(ask)
  }
})
