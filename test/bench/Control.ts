import type { AddressInfo } from "node:net"
import type { Server } from "node:http"

/** What a process has taken: CPU of all its threads, and its memory once it is rid of what it no longer needs. */
export interface Usage {
  readonly cpuMicros: number
  readonly heapBytes: number
  readonly rssBytes: number
}

/** What a process of the benchmark is asked over its IPC channel. */
export interface Question {
  readonly id: number
  readonly ask: unknown
}

/** What it answers; the first message of all, by the id 0, says that it is ready, with the port it listens on if any. */
export interface Answer {
  readonly id: number
  readonly answer: unknown
}

const usage = (isCollected: boolean): Usage => {
  if (isCollected) for (let round = 0; round < 3; round++) globalThis.gc?.()
  const { system, user } = process.cpuUsage()
  const { external, heapUsed, rss } = process.memoryUsage()
  return { cpuMicros: user + system, heapBytes: heapUsed + external, rssBytes: rss }
}

const say = (answer: Answer): void => {
  process.send?.(answer)
}

/** Answers what this process is asked from now on; it ends with whoever started it. */
export const answering = (port: number, reply: (ask: unknown) => Promise<unknown>): void => {
  process.on("disconnect", () => process.exit())
  process.on("message", ({ ask, id }: Question) => {
    const isUsage = ask === "usage" || ask === "collected"
    const answer = isUsage ? Promise.resolve(usage(ask === "collected")) : reply(ask)
    void answer.then((answer) => say({ id, answer }))
  })
  say({ id: 0, answer: port })
}

/** Listens on a free port of loopback, and answers from then on. */
export const listening = (
  server: Server,
  reply: (ask: unknown) => Promise<unknown> = () => Promise.resolve()
): void => {
  server.listen(0, "127.0.0.1", () => answering((server.address() as AddressInfo).port, reply))
}
